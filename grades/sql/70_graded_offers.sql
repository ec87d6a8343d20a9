-- Grain: one offer of the batch in one grade, on the offer's own day.
-- Unit: none.
-- Inputs: batch_records, matches_on_days.
-- Clause: design 1, step 4.
SELECT
    r.record_id AS offer_id,
    m.grade_id,
    r.day,
    m.rule_id,
    CAST($register_version AS VARCHAR) AS register_version,
    CAST($now AS TIMESTAMPTZ) AS known_at
FROM batch_records AS r
INNER JOIN matches_on_days AS m ON r.day_key = m.day_key AND r.axes_key = m.axes_key
WHERE r.record_kind = 'offer' AND r.refused IS NULL
ORDER BY r.record_id, m.grade_id

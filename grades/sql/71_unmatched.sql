-- Grain: one offer or trade of the batch that is in no grade, with one reason.
-- Unit: none.
-- Inputs: batch_records, refusals_on_days, batch_rows.
-- Clause: design 1, step 4: every record ends graded or rejected.
SELECT
    r.record_id,
    r.capture_id,
    r.source_id,
    b.row_number,
    coalesce(r.refused, f.reason_code) AS reason_code,
    coalesce(f.detail, r.operator_id || ': ' || r.chip) AS detail,
    r.observed_at,
    r.available_at
FROM batch_records AS r
INNER JOIN batch_rows AS b ON r.stated_id = b.stated_id
LEFT JOIN refusals_on_days AS f ON r.day_key = f.day_key AND r.axes_key = f.axes_key
WHERE r.refused IS NOT NULL OR f.reason_code IS NOT NULL
ORDER BY r.capture_id, b.row_number, r.record_id

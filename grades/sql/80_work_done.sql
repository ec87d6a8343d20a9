-- Grain: one capture of the batch: what became of what it states.
-- Unit: rows.
-- Inputs: batch_captures, batch_rows, batch_priced, batch_records, refusals_on_days.
-- Clause: design 1, step 3 (work log).
WITH priced AS (
    SELECT
        b.capture_id,
        sum(CASE WHEN b.record_kind = 'offer' AND p.reason_code IS NULL THEN 1 ELSE 0 END) AS offers_written,
        sum(CASE WHEN b.record_kind = 'trade' AND p.reason_code IS NULL THEN 1 ELSE 0 END) AS trades_written,
        sum(CASE WHEN p.reason_code IS NOT NULL THEN 1 ELSE 0 END) AS unpriced
    FROM batch_rows AS b
    INNER JOIN batch_priced AS p ON b.stated_id = p.stated_id
    GROUP BY b.capture_id
),

unmatched AS (
    SELECT
        r.capture_id,
        count(*) AS refused
    FROM batch_records AS r
    LEFT JOIN refusals_on_days AS f ON r.day_key = f.day_key AND r.axes_key = f.axes_key
    WHERE r.refused IS NOT NULL OR f.reason_code IS NOT NULL
    GROUP BY r.capture_id
)

SELECT
    c.capture_id,
    coalesce(p.offers_written, 0) AS offers_written,
    coalesce(p.trades_written, 0) AS trades_written,
    coalesce(p.unpriced, 0) + coalesce(u.refused, 0) AS rejections_written
FROM batch_captures AS c
LEFT JOIN priced AS p ON c.capture_id = p.capture_id
LEFT JOIN unmatched AS u ON c.capture_id = u.capture_id
ORDER BY c.capture_id

-- Grain: one stated row of the batch that has no price per GPU-hour.
-- Unit: none.
-- Inputs: batch_rows, batch_priced, batch_captures (is_retry).
-- Clause: design 5, every refusal has a reason. A row that goes on waiting is not refused twice.
SELECT
    b.stated_id AS record_id,
    b.capture_id,
    b.source_id,
    b.row_number,
    p.reason_code,
    p.detail,
    b.priced_at AS observed_at,
    b.available_at
FROM batch_rows AS b
INNER JOIN batch_priced AS p ON b.stated_id = p.stated_id
INNER JOIN batch_captures AS c ON b.capture_id = c.capture_id
WHERE p.reason_code IS NOT NULL AND NOT (c.is_retry AND p.reason_code = 'fx_missing')
ORDER BY b.capture_id, b.row_number, b.stated_id

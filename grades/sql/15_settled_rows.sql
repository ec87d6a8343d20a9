-- Grain: one stated row of the batch that was priced, or refused for good, before.
-- Unit: none.
-- Inputs: batch_captures (capture_id, is_retry), offers, trades, rejections.
-- Clause: design 5 (append, never update): a retried capture adds only what waited.
CREATE OR REPLACE TEMPORARY TABLE settled_rows AS
SELECT o.stated_id
FROM offers AS o
INNER JOIN batch_captures AS b ON o.capture_id = b.capture_id
WHERE b.is_retry AND o.register_version = $register_version
UNION
SELECT t.stated_id
FROM trades AS t
INNER JOIN batch_captures AS b ON t.capture_id = b.capture_id
WHERE b.is_retry AND t.register_version = $register_version
UNION
SELECT r.record_id AS stated_id
FROM rejections AS r
INNER JOIN batch_captures AS b ON r.capture_id = b.capture_id
WHERE b.is_retry AND r.stage = 'normalise' AND r.reason_code <> 'fx_missing'

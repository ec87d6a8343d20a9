-- Whether a capture is committed, since when, what was asked then, and why it could not be read where it could not.
-- Parameter: $capture_id.
-- Grain: one row a capture. Inputs: captures, rejections of whole documents.
SELECT
    c.outcome,
    c.known_at,
    c.request_json,
    r.reason_code,
    r.detail
FROM captures AS c
LEFT JOIN rejections AS r ON c.capture_id = r.record_id AND r.stage = 'read'
WHERE c.capture_id = $capture_id;

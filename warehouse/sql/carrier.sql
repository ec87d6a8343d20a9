-- Grain: at most one row, the first capture whose own record carries these bytes.
-- Unit: none.
-- Inputs: captures; $source_id, $url, $sha256.
-- Clause: an unchanged body of the same source and address is stored once and referred to afterwards.
SELECT
    capture_id,
    fetched_at,
    archive_file,
    archive_offset
FROM captures
WHERE
    source_id = $source_id
    AND url = $url
    AND sha256 = $sha256
    AND revisit_of IS NULL
ORDER BY known_at, capture_id
LIMIT 1;

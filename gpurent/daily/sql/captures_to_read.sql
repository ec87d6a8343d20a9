-- Grain: a capture to be read back: the newest ten, and others spread evenly by their ids, which are hashes.
-- Unit: none.
-- Inputs: captures.
-- Clause: DESIGN 1 (every later number can name the bytes it came from).
WITH numbered AS (
    SELECT
        c.capture_id,
        c.archive_file,
        c.archive_offset,
        c.sha256,
        row_number() OVER (ORDER BY c.fetched_at DESC, c.capture_id) AS newest
    FROM captures AS c
),

chosen AS (
    SELECT
        n.capture_id,
        n.archive_file,
        n.archive_offset,
        n.sha256
    FROM numbered AS n
    ORDER BY CASE WHEN n.newest <= 10 THEN 0 ELSE 1 END, n.capture_id
    LIMIT $wanted
)

SELECT
    s.capture_id,
    s.archive_file,
    s.archive_offset,
    s.sha256
FROM chosen AS s
ORDER BY s.archive_file, s.archive_offset, s.capture_id

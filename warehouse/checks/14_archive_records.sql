-- Grain: a capture whose own archive record overlaps another's.
-- Unit: bytes of the archive file.
-- Inputs: captures.
-- Clause: DESIGN 1.1: each response has a record of its own.
WITH ordered AS (
    SELECT
        capture_id,
        record_file,
        record_offset,
        lag(capture_id)
            OVER (PARTITION BY record_file ORDER BY record_offset, capture_id)
            AS earlier_capture_id,
        lag(record_offset + record_length) OVER (
            PARTITION BY record_file ORDER BY record_offset, capture_id
        ) AS earlier_end
    FROM captures
)

SELECT
    capture_id,
    record_file,
    record_offset,
    earlier_capture_id,
    earlier_end
FROM ordered
WHERE record_offset < earlier_end
ORDER BY record_file, record_offset, capture_id;

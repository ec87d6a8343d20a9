-- Grain: one row.
-- Unit: bytes of the archive file.
-- Inputs: captures; $record_file.
-- Clause: what lies behind the last committed record of a file is cut off when a run resumes.
SELECT coalesce(max(record_offset + record_length), 0) AS committed_end
FROM captures
WHERE record_file = $record_file;

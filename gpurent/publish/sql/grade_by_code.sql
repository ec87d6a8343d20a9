-- The grade a code and bucket name now.
-- Grain: one row; none for a code that is not in the registers
-- Unit: none
-- Inputs: grades
-- Clause: grades.md 3.4 (the code is for people, the id is permanent)
SELECT
    grade_id,
    code || '.' || bucket AS grade_code,
    title AS grade_title
FROM grades
WHERE code = $code AND bucket = $bucket
ORDER BY valid_from DESC, known_at DESC, record_sha256 ASC
LIMIT 1;

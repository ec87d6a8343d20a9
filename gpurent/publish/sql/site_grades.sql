-- What each grade is: its newest record, the specification behind it, and the grade it falls back to.
-- Grain: grade
-- Unit: none
-- Inputs: grades, grade_specs
-- Clause: grades.md 3.2 to 3.4
WITH numbered_grades AS (
    SELECT
        grade_id,
        spec_id,
        code,
        bucket,
        title,
        parent_grade_id,
        is_composite,
        row_number() OVER (
            PARTITION BY grade_id ORDER BY valid_from DESC, known_at DESC, record_sha256 ASC
        ) AS newest
    FROM grades
),

numbered_specs AS (
    SELECT
        spec_id,
        spec_version,
        status,
        valid_from,
        row_number() OVER (PARTITION BY spec_id ORDER BY known_at DESC, record_sha256 ASC) AS newest
    FROM grade_specs
)

SELECT
    g.grade_id,
    g.spec_id,
    g.code,
    g.bucket,
    g.title,
    g.is_composite,
    p.code || '.' || p.bucket AS parent_code,
    s.spec_version,
    s.status AS spec_status,
    s.valid_from
FROM numbered_grades AS g
LEFT JOIN numbered_grades AS p ON g.parent_grade_id = p.grade_id AND p.newest = 1
LEFT JOIN numbered_specs AS s ON g.spec_id = s.spec_id AND s.newest = 1
WHERE g.newest = 1
ORDER BY g.grade_id;

-- Grain: one grade of the book on the day, its newest row.
-- Unit: none.
-- Inputs: grades.
-- Clause: specification 3: definitions are ours, so reconstructed days and the sample use the present version.
WITH newest AS (
    SELECT
        g.grade_id,
        g.code,
        g.bucket,
        g.parent_grade_id,
        g.is_composite,
        g.valid_from,
        g.valid_to,
        row_number() OVER (PARTITION BY g.grade_id ORDER BY g.known_at DESC, g.record_sha256) AS newest
    FROM grades AS g
)

SELECT
    n.grade_id,
    n.code,
    n.bucket,
    n.parent_grade_id,
    n.is_composite
FROM newest AS n
WHERE
    n.newest = 1
    AND (
        $uses_present_version
        OR (n.valid_from <= $day AND (n.valid_to IS NULL OR n.valid_to > $day))
    )
ORDER BY n.grade_id

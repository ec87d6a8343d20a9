-- Grain: a reference row called settlement-eligible that cannot be.
-- Unit: none.
-- Inputs: reference_prices, grades.
-- Clause: specification 1, 3, 7: never a composite, a reconstructed day, or a level above 3.
WITH composites_known AS (
    SELECT DISTINCT grade_id
    FROM grades
    WHERE is_composite
)

SELECT
    p.day,
    p.grade_id,
    p.vintage,
    p.construction,
    p.status,
    p.level
FROM reference_prices AS p
LEFT JOIN composites_known AS c ON p.grade_id = c.grade_id
WHERE
    p.settlement_eligible
    AND (p.construction <> 'live' OR p.status <> 'published' OR p.level > 3 OR c.grade_id IS NOT NULL)
ORDER BY p.day, p.grade_id, p.vintage;

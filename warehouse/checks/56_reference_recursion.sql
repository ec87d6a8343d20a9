-- Grain: a published day after a published day on which R did not move by M and the announced
-- catch-up.
-- Unit: natural logarithms.
-- Inputs: reference_prices.
-- Clause: specification 8: ln R = ln R before + M + kappa (ln P - ln R before - M), kappa by level;
-- start, restart and gap days apart, and days of other vintages.
WITH kappas (level, kappa) AS (
    VALUES (1, 0.5), (2, 0.25), (3, 0.10), (4, 0.05), (5, 0.0)
)

SELECT
    p.day,
    p.grade_id,
    p.vintage,
    p.reference_log,
    q.reference_log AS reference_log_before,
    p.matched_change_log,
    p.cross_section_log,
    p.level
FROM reference_prices AS p
INNER JOIN reference_prices AS q
    ON
        p.grade_id = q.grade_id
        AND p.vintage = q.vintage
        AND p.construction = q.construction
        AND p.day - 1 = q.day
INNER JOIN kappas AS k ON p.level = k.level
WHERE
    p.methodology_version = '1.0.0'
    AND p.status = 'published'
    AND q.status = 'published'
    AND NOT contains(p.flags, 'start')
    AND abs(
        p.reference_log - q.reference_log - p.matched_change_log
        - k.kappa * (p.cross_section_log - q.reference_log - p.matched_change_log)
    ) > 1e-9
ORDER BY p.day, p.grade_id, p.vintage;

-- Grain: a grade's row of one day, in the vintage published last.
-- Unit: USD per GPU-hour.
-- Inputs: reference_prices.
-- Clause: design 3 (vintage); a live vintage counts before a reconstructed one, research vintages never.
WITH numbered AS (
    SELECT
        p.grade_id,
        p.vintage,
        p.status,
        p.reason_code,
        p.level,
        p.label,
        p.letter,
        p.reference_usd_per_gpu_hour,
        row_number() OVER (
            PARTITION BY p.grade_id
            ORDER BY p.construction ASC, p.published_at DESC, p.known_at DESC, p.vintage DESC
        ) AS newest
    FROM reference_prices AS p
    WHERE p.day = $day AND NOT starts_with(p.vintage, 'research-')
)

SELECT
    n.grade_id,
    n.vintage,
    n.status,
    n.reason_code,
    n.level,
    n.label,
    n.letter,
    n.reference_usd_per_gpu_hour
FROM numbered AS n
WHERE n.newest = 1
ORDER BY n.grade_id

-- Grain: one grade of a day and vintage, for the table a run prints.
-- Unit: USD per GPU-hour.
-- Inputs: reference_prices, grades.
-- Clause: DESIGN 7 (daily prints the table).
WITH names AS (
    SELECT
        g.grade_id,
        g.code,
        g.bucket,
        g.title,
        row_number() OVER (PARTITION BY g.grade_id ORDER BY g.known_at DESC, g.record_sha256) AS newest
    FROM grades AS g
)

SELECT
    n.code,
    n.bucket,
    n.title,
    r.grade_id,
    r.status,
    r.reason_code,
    r.level,
    r.label,
    r.letter,
    r.flags,
    r.reference_usd_per_gpu_hour,
    r.cross_section_usd_per_gpu_hour,
    r.advertised_usd_per_gpu_hour,
    r.traded_usd_per_gpu_hour,
    r.trade_weight,
    r.owner_group_count,
    r.trade_count
FROM reference_prices AS r
INNER JOIN names AS n ON r.grade_id = n.grade_id AND n.newest = 1
WHERE r.day = $day AND r.vintage = $vintage
ORDER BY r.status, r.level, n.code, n.bucket

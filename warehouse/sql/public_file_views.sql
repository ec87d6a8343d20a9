-- Grain: daily_reference: a grade's day, in the vintage that counts; legs: one leg of such a day.
-- Unit: USD per GPU-hour; weights are shares.
-- Inputs: reference_prices, grades (of the public file).
-- Clause: DESIGN 3 (vintage); a live vintage counts before a reconstructed one, the newest of a
-- kind before older ones, and research vintages never.
CREATE OR REPLACE VIEW daily_reference AS
WITH numbered_grades AS (
    SELECT
        grade_id,
        code,
        bucket,
        title,
        row_number() OVER (
            PARTITION BY grade_id ORDER BY valid_from DESC, known_at DESC, record_sha256 ASC
        ) AS newest
    FROM grades
),

numbered_prices AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY day, grade_id
            ORDER BY construction ASC, published_at DESC, known_at DESC, vintage DESC
        ) AS newest
    FROM reference_prices
    WHERE NOT starts_with(vintage, 'research-')
)

SELECT
    p.day,
    g.code || '.' || g.bucket AS grade_code,
    g.title AS grade_title,
    p.status,
    p.reason_code,
    p.level,
    p.label,
    p.letter,
    p.basis,
    p.reference_usd_per_gpu_hour,
    p.cross_section_usd_per_gpu_hour,
    p.advertised_usd_per_gpu_hour,
    p.traded_usd_per_gpu_hour,
    p.trade_weight,
    p.index_value,
    p.owner_group_count,
    p.trade_count,
    p.settlement_eligible,
    p.flags,
    p.construction,
    p.vintage,
    p.grade_id
FROM numbered_prices AS p
INNER JOIN numbered_grades AS g ON p.grade_id = g.grade_id
WHERE p.newest = 1 AND g.newest = 1
ORDER BY p.day, grade_code;

CREATE OR REPLACE VIEW legs AS
WITH both_legs AS (
    SELECT
        day,
        grade_code,
        'advertised' AS leg,
        advertised_usd_per_gpu_hour AS usd_per_gpu_hour,
        1 - coalesce(trade_weight, 0) AS weight,
        owner_group_count AS count_behind,
        status,
        vintage
    FROM daily_reference
    UNION ALL
    SELECT
        day,
        grade_code,
        'traded' AS leg,
        traded_usd_per_gpu_hour AS usd_per_gpu_hour,
        coalesce(trade_weight, 0) AS weight,
        trade_count AS count_behind,
        status,
        vintage
    FROM daily_reference
)

SELECT
    day,
    grade_code,
    leg,
    usd_per_gpu_hour,
    weight,
    count_behind,
    status,
    vintage
FROM both_legs
WHERE usd_per_gpu_hour IS NOT NULL
ORDER BY day, grade_code, leg;

-- Grain: a reference row whose status, level, reason and value do not go together.
-- Unit: USD per GPU-hour.
-- Inputs: reference_prices.
-- Clause: specification 7: level 6 is withheld, with its reason and without a value; a published
-- day has one.
SELECT
    day,
    grade_id,
    vintage,
    status,
    reason_code,
    level,
    reference_usd_per_gpu_hour
FROM reference_prices
WHERE
    status NOT IN ('published', 'held', 'withheld')
    OR level NOT BETWEEN 1 AND 6
    OR (status = 'withheld' AND (reason_code IS NULL OR reference_usd_per_gpu_hour IS NOT NULL))
    OR (level = 6 AND status <> 'withheld')
    OR (
        status = 'published'
        AND (reference_usd_per_gpu_hour IS NULL OR cross_section_usd_per_gpu_hour IS NULL)
    )
ORDER BY day, grade_id, vintage;

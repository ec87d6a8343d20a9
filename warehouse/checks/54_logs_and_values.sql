-- Grain: a reference row whose value is not the exponential of its logarithm.
-- Unit: USD per GPU-hour.
-- Inputs: reference_prices.
-- Clause: specification 8: logs with 12 decimals, USD half-even with 4, once.
SELECT
    day,
    grade_id,
    vintage,
    reference_usd_per_gpu_hour,
    reference_log,
    cross_section_usd_per_gpu_hour,
    cross_section_log
FROM reference_prices
WHERE
    abs(reference_usd_per_gpu_hour - exp(reference_log)) > 0.0000501
    OR abs(cross_section_usd_per_gpu_hour - exp(cross_section_log)) > 0.0000501
    OR (reference_log IS NULL) <> (reference_usd_per_gpu_hour IS NULL)
ORDER BY day, grade_id, vintage;

-- Grain: an offer whose price in USD is not its own price times the rate of its exchange-rate day.
-- Unit: USD per GPU-hour.
-- Inputs: offers, fx_rates.
-- Clause: specification 3: the rate's day is stored with the row; DESIGN 5: a conversion is a named
-- step.
WITH rates AS (
    SELECT
        day,
        currency,
        min(usd_per_unit) AS lowest,
        max(usd_per_unit) AS highest
    FROM fx_rates
    GROUP BY day, currency
)

SELECT
    o.offer_id,
    o.currency,
    o.fx_day,
    o.native_per_gpu_hour,
    o.usd_per_gpu_hour
FROM offers AS o
LEFT JOIN rates AS r ON o.fx_day = r.day AND o.currency = r.currency
WHERE
    (o.currency = 'USD' AND o.native_per_gpu_hour <> o.usd_per_gpu_hour)
    OR (o.currency <> 'USD' AND (
        r.day IS NULL
        -- both prices are rounded to nine decimals
        OR o.usd_per_gpu_hour < cast(o.native_per_gpu_hour AS DOUBLE) * r.lowest * (1 - 1e-6) - 2e-9
        OR o.usd_per_gpu_hour > cast(o.native_per_gpu_hour AS DOUBLE) * r.highest * (1 + 1e-6) + 2e-9
    ))
ORDER BY o.offer_id;

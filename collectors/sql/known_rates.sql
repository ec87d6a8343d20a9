-- The last recorded rate of every day and currency in a span, to append only what is new or was corrected.
-- Grain: one row a day and currency. Inputs: fx_rates. Parameters: $first_day, $last_day.
SELECT
    day,
    currency,
    arg_max(eur_rate_text, known_at) AS eur_rate_text,
    arg_max(usd_per_unit, known_at) AS usd_per_unit
FROM fx_rates
WHERE day BETWEEN $first_day AND $last_day
GROUP BY day, currency;

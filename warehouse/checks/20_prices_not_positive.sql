-- Grain: a price, rate or quantity that is not above zero.
-- Unit: that of the column.
-- Inputs: stated_offers, offers, trades, items, voices, reference_prices, fx_rates.
-- Clause: specification 4: zero and negative amounts are no prices.
WITH priced AS (
    SELECT
        'stated_offers' AS table_name,
        stated_id AS row_id,
        price_amount AS amount
    FROM stated_offers
    UNION ALL
    SELECT
        'offers' AS table_name,
        offer_id AS row_id,
        usd_per_gpu_hour AS amount
    FROM offers
    UNION ALL
    SELECT
        'trades' AS table_name,
        trade_id AS row_id,
        usd_per_gpu_hour AS amount
    FROM trades
    UNION ALL
    SELECT
        'trades' AS table_name,
        trade_id AS row_id,
        gpu_hours AS amount
    FROM trades
    UNION ALL
    SELECT
        'items' AS table_name,
        day || ' ' || grade_id || ' ' || item_key AS row_id,
        usd_per_gpu_hour AS amount
    FROM items
    UNION ALL
    SELECT
        'voices' AS table_name,
        day || ' ' || grade_id || ' ' || owner_group AS row_id,
        usd_per_gpu_hour AS amount
    FROM voices
    UNION ALL
    SELECT
        'reference_prices' AS table_name,
        day || ' ' || grade_id || ' ' || vintage AS row_id,
        reference_usd_per_gpu_hour AS amount
    FROM reference_prices
    UNION ALL
    SELECT
        'fx_rates' AS table_name,
        currency || ' ' || day AS row_id,
        usd_per_unit AS amount
    FROM fx_rates
)

SELECT
    table_name,
    row_id,
    amount
FROM priced
WHERE amount <= 0
ORDER BY table_name, row_id;

-- Grain: a row that names a capture which is not there.
-- Unit: none.
-- Inputs: captures, stated_offers, stated_trades, offers, trades, rejections, fx_rates.
-- Clause: DESIGN 1: every number can name the bytes it came from.
WITH named AS (
    SELECT
        'stated_offers' AS table_name,
        stated_id AS row_id,
        capture_id
    FROM stated_offers
    UNION ALL
    SELECT
        'stated_trades' AS table_name,
        stated_id AS row_id,
        capture_id
    FROM stated_trades
    UNION ALL
    SELECT
        'offers' AS table_name,
        offer_id AS row_id,
        capture_id
    FROM offers
    UNION ALL
    SELECT
        'trades' AS table_name,
        trade_id AS row_id,
        capture_id
    FROM trades
    UNION ALL
    SELECT
        'rejections' AS table_name,
        rejection_id AS row_id,
        capture_id
    FROM rejections
    UNION ALL
    SELECT
        'fx_rates' AS table_name,
        currency || ' ' || day AS row_id,
        capture_id
    FROM fx_rates
)

SELECT
    n.table_name,
    n.row_id,
    n.capture_id
FROM named AS n
LEFT JOIN captures AS c ON n.capture_id = c.capture_id
WHERE c.capture_id IS NULL
ORDER BY n.table_name, n.row_id;

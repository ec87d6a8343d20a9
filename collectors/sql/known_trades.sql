-- Trades that are recorded already, to tell a repeated report from one that says something else.
-- Grain: one row a trade. Inputs: stated_trades. Parameter: $stated_ids, a list.
SELECT
    stated_id,
    cost_amount,
    quantity,
    currency
FROM stated_trades
WHERE list_contains($stated_ids, stated_id);

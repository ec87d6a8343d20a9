-- Grain: one trade of the window.
-- Unit: GPU-hours, USD and the seller's currency per GPU-hour.
-- Inputs: day_trades.
-- Clause: specification 2 (trade).
SELECT
    t.trade_id,
    t.owner_group,
    t.operator_id,
    t.buyer_pseudonym,
    t.agreement_id,
    t.item_key,
    t.chip,
    t.form_memory,
    t.lot,
    t.fabric,
    t.scope,
    t.term,
    t.place,
    t.trade_day,
    t.usd_per_gpu_hour,
    t.native_per_gpu_hour,
    t.currency,
    t.gpu_hours,
    t.trade_kind,
    t.is_arms_length,
    t.is_administered,
    t.is_synthetic
FROM day_trades AS t
ORDER BY t.trade_id

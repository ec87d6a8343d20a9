-- Grain: one item of the day with its representative offer.
-- Unit: USD and the seller's currency per GPU-hour; times UTC.
-- Inputs: day_items, item_offers.
-- Clause: specification 2.
SELECT
    i.item_key,
    i.owner_group,
    i.operator_class,
    i.operator_id,
    i.host_operator_id,
    i.chip,
    i.form_memory,
    i.lot,
    i.fabric,
    i.scope,
    i.term,
    i.place,
    i.route,
    i.route_rank,
    i.snapshot_day,
    i.currency,
    i.is_converted,
    i.usd_per_gpu_hour,
    i.native_per_gpu_hour,
    i.verified_at,
    i.offer_class,
    i.offer_rows,
    i.is_marketplace,
    i.host_count,
    i.offer_count,
    i.capture_count,
    i.first_captured_at,
    i.first_native_per_gpu_hour,
    i.last_captured_at,
    i.last_native_per_gpu_hour,
    i.lowest_captured_at,
    i.lowest_native_per_gpu_hour,
    i.highest_captured_at,
    i.highest_native_per_gpu_hour,
    i.at_or_below_first_at,
    i.at_or_below_last_at,
    i.at_or_above_first_at,
    i.at_or_above_last_at,
    o.offer_id
FROM day_items AS i
INNER JOIN item_offers AS o ON i.item_key = o.item_key
ORDER BY i.item_key

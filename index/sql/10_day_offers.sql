-- Grain: one offer that may stand on the day, with its owner group and item key.
-- Unit: USD and the seller's currency per GPU-hour.
-- Inputs: offers; temporary operators_known (from the grades room, as known at the cut-off).
-- Clause: specification 2 (observations, item), 3 (window, cut-off).
CREATE OR REPLACE TEMPORARY TABLE day_offers AS
SELECT
    o.offer_id,
    o.source_id,
    o.snapshot_id,
    o.snapshot_at,
    o.snapshot_day,
    o.observed_at,
    o.route,
    o.route_rank,
    o.operator_id,
    o.host_operator_id,
    o.offer_class,
    o.native_per_gpu_hour,
    o.usd_per_gpu_hour,
    o.currency,
    o.is_converted,
    o.chip,
    o.form_memory,
    o.lot,
    o.fabric,
    o.scope,
    o.term,
    o.place,
    o.is_marketplace,
    o.host_count,
    o.offer_count,
    k.owner_group,
    k.operator_class,
    k.owner_group
    || '|' || o.operator_id
    || '|' || replace(o.host_operator_id, '|', '/')
    || '|' || o.chip
    || '|' || o.form_memory
    || '|' || o.lot
    || '|' || o.fabric
    || '|' || o.scope
    || '|' || o.term
    || '|' || o.place AS item_key
FROM offers AS o
INNER JOIN operators_known AS k ON o.operator_id = k.operator_id
WHERE
    o.snapshot_day >= $first_day
    AND o.snapshot_day <= $day
    AND o.offer_class <> 'indication'
    AND o.scope <> 'MI'
    AND o.register_version = $register_version
    AND ((NOT $is_reconstructed AND o.known_at <= $cutoff) OR ($is_reconstructed AND o.available_at <= $cutoff))

-- Grain: one item of the day with one offer that represents it: in its last capture, at the item's price there.
-- Unit: none.
-- Inputs: day_items, day_offers.
-- Clause: specification 4 (every hit is logged with its record).
CREATE OR REPLACE TEMPORARY TABLE item_offers AS
SELECT
    i.item_key,
    min(d.offer_id) AS offer_id
FROM day_items AS i
INNER JOIN day_offers AS d
    ON
        i.item_key = d.item_key
        AND i.route = d.route
        AND i.last_captured_at = d.snapshot_at
        AND i.last_native_per_gpu_hour = d.native_per_gpu_hour
GROUP BY i.item_key

-- Grain: one item on one route in one capture (snapshot) of its price day.
-- Unit: USD and the seller's currency per GPU-hour; the lower median of the offers that are this item.
-- Inputs: day_offers, present_items.
-- Clause: specification 2 (item: a day's price is the lower median of its captures). An item stated in two
-- currencies on one route is read in the first of them by name, so that changes are judged in one currency.
CREATE OR REPLACE TEMPORARY TABLE item_captures AS
WITH item_currency AS (
    SELECT
        d.item_key,
        d.route,
        min(d.currency) AS currency
    FROM day_offers AS d
    INNER JOIN present_items AS p ON d.item_key = p.item_key AND d.route = p.route AND d.snapshot_day = p.price_day
    GROUP BY d.item_key, d.route
)

SELECT
    d.item_key,
    d.route,
    d.snapshot_id,
    d.snapshot_at,
    p.price_day,
    min(d.route_rank) AS route_rank,
    c.currency,
    max(CASE WHEN d.is_converted THEN 1 ELSE 0 END) AS is_converted,
    lower_median(d.usd_per_gpu_hour) AS usd_per_gpu_hour,
    lower_median(d.native_per_gpu_hour) AS native_per_gpu_hour,
    max(d.observed_at) AS verified_at,
    min(CASE WHEN d.offer_class = 'firm' THEN 'firm' ELSE 'list' END) AS offer_class,
    count(*) AS offer_rows,
    max(CASE WHEN d.is_marketplace THEN 1 ELSE 0 END) AS is_marketplace,
    max(d.host_count) AS host_count,
    max(d.offer_count) AS offer_count
FROM day_offers AS d
INNER JOIN present_items AS p ON d.item_key = p.item_key AND d.route = p.route AND d.snapshot_day = p.price_day
INNER JOIN item_currency AS c ON d.item_key = c.item_key AND d.route = c.route AND d.currency = c.currency
GROUP BY d.item_key, d.route, d.snapshot_id, d.snapshot_at, p.price_day, c.currency

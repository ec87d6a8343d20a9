-- Grain: one item on one route on the day.
-- Unit: USD and the seller's currency per GPU-hour; times UTC.
-- Inputs: item_captures.
-- Clause: specification 2: the lower median of the day's captures, with time and price of the first, the last, the
-- lowest and the highest capture, and the time the captures at or beyond the median span on either side, so that
-- confirmation needs no captures.
CREATE OR REPLACE TEMPORARY TABLE item_days AS
WITH ranked AS (
    SELECT
        c.item_key,
        c.route,
        c.route_rank,
        c.price_day,
        c.currency,
        c.is_converted,
        c.snapshot_at,
        c.usd_per_gpu_hour,
        c.native_per_gpu_hour,
        c.verified_at,
        c.offer_class,
        c.offer_rows,
        c.is_marketplace,
        c.host_count,
        c.offer_count,
        row_number() OVER (
            PARTITION BY c.item_key, c.route ORDER BY c.snapshot_at, c.snapshot_id
        ) AS from_first,
        row_number() OVER (
            PARTITION BY c.item_key, c.route ORDER BY c.snapshot_at DESC, c.snapshot_id DESC
        ) AS from_last,
        row_number() OVER (
            PARTITION BY c.item_key, c.route ORDER BY c.native_per_gpu_hour, c.snapshot_at, c.snapshot_id
        ) AS from_lowest,
        row_number() OVER (
            PARTITION BY c.item_key, c.route ORDER BY c.native_per_gpu_hour DESC, c.snapshot_at, c.snapshot_id
        ) AS from_highest
    FROM item_captures AS c
),

medians AS (
    SELECT
        c.item_key,
        c.route,
        lower_median(c.native_per_gpu_hour) AS native_per_gpu_hour
    FROM item_captures AS c
    GROUP BY c.item_key, c.route
)

SELECT
    r.item_key,
    r.route,
    min(r.route_rank) AS route_rank,
    min(r.price_day) AS snapshot_day,
    min(r.currency) AS currency,
    max(r.is_converted) AS is_converted,
    lower_median(r.usd_per_gpu_hour) AS usd_per_gpu_hour,
    min(m.native_per_gpu_hour) AS native_per_gpu_hour,
    max(r.verified_at) AS verified_at,
    max(CASE WHEN r.from_last = 1 THEN r.offer_class END) AS offer_class,
    max(CASE WHEN r.from_last = 1 THEN r.offer_rows END) AS offer_rows,
    max(r.is_marketplace) AS is_marketplace,
    max(CASE WHEN r.from_last = 1 THEN r.host_count END) AS host_count,
    max(CASE WHEN r.from_last = 1 THEN r.offer_count END) AS offer_count,
    count(*) AS capture_count,
    max(CASE WHEN r.from_first = 1 THEN r.snapshot_at END) AS first_captured_at,
    max(CASE WHEN r.from_first = 1 THEN r.native_per_gpu_hour END) AS first_native_per_gpu_hour,
    max(CASE WHEN r.from_last = 1 THEN r.snapshot_at END) AS last_captured_at,
    max(CASE WHEN r.from_last = 1 THEN r.native_per_gpu_hour END) AS last_native_per_gpu_hour,
    max(CASE WHEN r.from_lowest = 1 THEN r.snapshot_at END) AS lowest_captured_at,
    max(CASE WHEN r.from_lowest = 1 THEN r.native_per_gpu_hour END) AS lowest_native_per_gpu_hour,
    max(CASE WHEN r.from_highest = 1 THEN r.snapshot_at END) AS highest_captured_at,
    max(CASE WHEN r.from_highest = 1 THEN r.native_per_gpu_hour END) AS highest_native_per_gpu_hour,
    min(CASE WHEN r.native_per_gpu_hour <= m.native_per_gpu_hour THEN r.snapshot_at END) AS at_or_below_first_at,
    max(CASE WHEN r.native_per_gpu_hour <= m.native_per_gpu_hour THEN r.snapshot_at END) AS at_or_below_last_at,
    min(CASE WHEN r.native_per_gpu_hour >= m.native_per_gpu_hour THEN r.snapshot_at END) AS at_or_above_first_at,
    max(CASE WHEN r.native_per_gpu_hour >= m.native_per_gpu_hour THEN r.snapshot_at END) AS at_or_above_last_at
FROM ranked AS r
INNER JOIN medians AS m ON r.item_key = m.item_key AND r.route = m.route
GROUP BY r.item_key, r.route

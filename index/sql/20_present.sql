-- Grain: one item on one route that is present on the day, with the day its price is from.
-- Unit: none.
-- Inputs: day_offers, snapshots.
-- Clause: specification 2 (absence): a source's items come from its newest complete snapshot, at most seven days
-- old; what only a later partial one shows counts too; missing from a complete one is gone.
CREATE OR REPLACE TEMPORARY TABLE present_items AS
WITH newest_complete AS (
    SELECT
        s.source_id,
        max(s.snapshot_at) AS newest_at
    FROM snapshots AS s
    WHERE
        s.status = 'complete'
        AND s.snapshot_day >= $first_day
        AND s.snapshot_day <= $day
        AND ((NOT $is_reconstructed AND s.known_at <= $cutoff) OR ($is_reconstructed AND s.available_at <= $cutoff))
    GROUP BY s.source_id
),

last_seen AS (
    SELECT
        d.item_key,
        d.route,
        d.source_id,
        max(d.snapshot_at) AS last_at,
        max(d.snapshot_day) AS price_day
    FROM day_offers AS d
    GROUP BY d.item_key, d.route, d.source_id
)

SELECT
    l.item_key,
    l.route,
    l.price_day
FROM last_seen AS l
LEFT JOIN newest_complete AS n ON l.source_id = n.source_id
WHERE n.newest_at IS NULL OR l.last_at >= n.newest_at

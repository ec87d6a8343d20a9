-- Grain: one item on one route that is present on the day, with the day its price is from.
-- Unit: none.
-- Inputs: day_offers, snapshots.
-- Clause: specification 2 (absence): a source's items come from its newest complete snapshot, at most seven days
-- old; what only a later partial one shows counts too; missing from a complete one is gone. A source with several
-- lists (list_key: a model searched for, a region) has a snapshot of each, and absence holds for that list alone.
CREATE OR REPLACE TEMPORARY TABLE present_items AS
WITH newest_complete AS (
    SELECT
        s.source_id,
        s.list_key,
        max(s.snapshot_at) AS newest_at
    FROM snapshots AS s
    WHERE
        s.status = 'complete'
        AND s.snapshot_day >= $first_day
        AND s.snapshot_day <= $day
        AND ((NOT $is_reconstructed AND s.known_at <= $cutoff) OR ($is_reconstructed AND s.available_at <= $cutoff))
    GROUP BY s.source_id, s.list_key
),

lists AS (
    SELECT
        s.snapshot_id,
        min(s.list_key) AS list_key
    FROM snapshots AS s
    GROUP BY s.snapshot_id
),

last_seen AS (
    SELECT
        d.item_key,
        d.route,
        d.source_id,
        k.list_key,
        max(d.snapshot_at) AS last_at,
        max(d.snapshot_day) AS price_day
    FROM day_offers AS d
    LEFT JOIN lists AS k ON d.snapshot_id = k.snapshot_id
    GROUP BY d.item_key, d.route, d.source_id, k.list_key
)

SELECT
    l.item_key,
    l.route,
    max(l.price_day) AS price_day
FROM last_seen AS l
LEFT JOIN newest_complete AS n ON l.source_id = n.source_id AND l.list_key = n.list_key
WHERE n.newest_at IS NULL OR l.last_at >= n.newest_at
GROUP BY l.item_key, l.route

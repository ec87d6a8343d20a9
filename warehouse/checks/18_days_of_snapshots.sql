-- Grain: an offer whose day of presence is not the UTC day of the look, or that names a look that
-- is not there.
-- Unit: none.
-- Inputs: offers, snapshots.
-- Clause: specification 3: the window of a day is its UTC day.
SELECT
    o.offer_id,
    o.snapshot_id,
    o.snapshot_at,
    o.snapshot_day
FROM offers AS o
LEFT JOIN snapshots AS s ON o.snapshot_id = s.snapshot_id
WHERE
    s.snapshot_id IS NULL
    OR o.snapshot_day <> cast(o.snapshot_at AT TIME ZONE 'UTC' AS DATE)
ORDER BY o.offer_id;

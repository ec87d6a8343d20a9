-- Grain: one number: successful looks at price sources on the day.
-- Unit: count.
-- Inputs: snapshots, stated_offers, stated_trades.
-- Clause: specification 3 and 7: no captures of the day is our own outage.
SELECT count(*) AS successful_snapshots
FROM snapshots AS s
WHERE
    s.snapshot_day = $day
    AND s.status <> 'failed'
    AND s.source_id <> 'ecb'
    AND ((NOT $is_reconstructed AND s.known_at <= $cutoff) OR ($is_reconstructed AND s.available_at <= $cutoff))

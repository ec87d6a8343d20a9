-- Grain: one row: when the first response was recorded.
-- Unit: UTC.
-- Inputs: captures.
-- Clause: specification 3 (a live value uses what was recorded by the cut-off).
SELECT min(c.known_at) AS first_known_at
FROM captures AS c

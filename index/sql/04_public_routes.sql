-- Grain: one source whose rows may be shown.
-- Unit: none.
-- Inputs: sources.
-- Clause: specification 12; DESIGN 5 (rights): without redistribution a price counts only inside aggregates.
WITH newest AS (
    SELECT
        s.source_id,
        s.redistribution,
        row_number() OVER (PARTITION BY s.source_id ORDER BY s.known_at DESC, s.record_sha256) AS newest
    FROM sources AS s
)

SELECT n.source_id
FROM newest AS n
WHERE n.newest = 1 AND n.redistribution = 'allowed'
ORDER BY n.source_id

-- Grain: one source, as last recorded.
-- Unit: none.
-- Inputs: sources, route_ranks (kind, route_rank, is_venue).
-- Clause: specification 2: an operator's own offer beats a reseller's or an aggregator's view of it.
CREATE OR REPLACE TEMPORARY TABLE source_routes AS
WITH recorded AS (
    SELECT
        s.source_id,
        s.kind,
        row_number() OVER (PARTITION BY s.source_id ORDER BY s.known_at DESC, s.record_sha256) AS newest
    FROM sources AS s
)

SELECT
    r.source_id,
    k.route_rank,
    k.is_venue
FROM recorded AS r
INNER JOIN route_ranks AS k ON r.kind = k.kind
WHERE r.newest = 1

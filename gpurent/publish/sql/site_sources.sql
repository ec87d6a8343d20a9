-- The sources to be named on the site: those that stood behind an item in the last 90 days.
-- Grain: source
-- Unit: none
-- Inputs: items, sources
-- Clause: design 5 (rights)
WITH current_sources AS (
    SELECT
        source_id,
        title,
        url,
        licence,
        attribution,
        row_number() OVER (PARTITION BY source_id ORDER BY known_at DESC, record_sha256 ASC) AS newest
    FROM sources
),

used AS (
    SELECT DISTINCT route AS source_id
    FROM items
    WHERE day > CAST($day AS DATE) - 90 AND day <= $day
)

SELECT
    s.source_id,
    s.title,
    s.url,
    s.licence,
    s.attribution
FROM current_sources AS s
INNER JOIN used AS u ON s.source_id = u.source_id
WHERE s.newest = 1
ORDER BY s.title, s.source_id;

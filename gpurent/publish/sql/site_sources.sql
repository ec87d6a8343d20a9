-- The sources: rights, what was read of them, and whether they stood behind an item in the last 90 days.
-- Grain: source
-- Unit: none
-- Inputs: items, sources
-- Clause: design 5 (rights)
WITH current_sources AS (
    SELECT
        source_id,
        title,
        kind,
        url,
        licence,
        attribution,
        redistribution,
        terms_checked_on,
        robots_checked_on,
        fixture_origin,
        first_live_success,
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
    s.kind,
    s.url,
    s.licence,
    s.attribution,
    s.redistribution,
    s.terms_checked_on,
    s.robots_checked_on,
    s.fixture_origin,
    s.first_live_success,
    u.source_id IS NOT NULL AS is_used
FROM current_sources AS s
LEFT JOIN used AS u ON s.source_id = u.source_id
WHERE s.newest = 1
ORDER BY s.title, s.source_id;

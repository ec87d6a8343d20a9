-- Grain: one source that does not count on the day, with why.
-- Unit: days.
-- Inputs: sources, snapshots, editions.
-- Clause: DESIGN 5: a source with a rendered fixture is untried until its first live success and then 14 days in
-- shadow; not for sources read only from files, nor in a warehouse that had not published when the source first
-- succeeded.
WITH current_sources AS (
    SELECT
        s.source_id,
        s.is_file_only,
        s.fixture_origin,
        s.first_live_success,
        row_number() OVER (PARTITION BY s.source_id ORDER BY s.known_at DESC, s.record_sha256) AS newest
    FROM sources AS s
    WHERE s.known_at <= $cutoff
),

first_success AS (
    SELECT
        n.source_id,
        min(n.snapshot_day) AS first_day,
        min(n.known_at) AS first_known_at
    FROM snapshots AS n
    WHERE n.status <> 'failed' AND n.known_at <= $cutoff
    GROUP BY n.source_id
),

first_edition AS (
    SELECT min(e.known_at) AS first_known_at
    FROM editions AS e
    WHERE e.construction = 'live'
),

judged AS (
    SELECT
        c.source_id,
        CASE
            WHEN c.first_live_success IS NOT NULL AND c.first_live_success < f.first_day THEN c.first_live_success
            ELSE f.first_day
        END AS first_day,
        f.first_known_at,
        e.first_known_at AS published_since
    FROM current_sources AS c
    LEFT JOIN first_success AS f ON c.source_id = f.source_id
    CROSS JOIN first_edition AS e
    WHERE c.newest = 1 AND c.fixture_origin = 'rendered' AND NOT c.is_file_only
)

SELECT
    j.source_id,
    CASE WHEN j.first_day IS NULL THEN 'source_untried' ELSE 'source_shadow' END AS reason_code
FROM judged AS j
WHERE
    j.first_day IS NULL
    OR (
        j.published_since IS NOT NULL
        AND j.first_known_at > j.published_since
        AND CAST($day AS DATE) - j.first_day < $shadow_days
    )
ORDER BY j.source_id

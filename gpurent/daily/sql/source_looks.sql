-- Grain: a source that was ever looked at: its newest look, its newest whole look and how many failed since.
-- Unit: rows as the source counts them.
-- Inputs: snapshots, captures.
-- Clause: DESIGN 4 (snapshots); specification 2 (absence). A look with several lists is whole when each of them is;
-- of the pages of one list the best status stands.
WITH lists AS (
    SELECT
        s.source_id,
        s.snapshot_id,
        s.snapshot_at,
        max(CASE s.status WHEN 'complete' THEN 2 WHEN 'partial' THEN 1 ELSE 0 END) AS quality,
        sum(s.stated_rows) AS stated_rows,
        max(s.known_at) AS known_at
    FROM snapshots AS s
    GROUP BY s.source_id, s.snapshot_id, s.snapshot_at
),

refused AS (
    SELECT
        c.snapshot_id,
        sum(c.rejected_rows) AS rejected_rows
    FROM captures AS c
    GROUP BY c.snapshot_id
),

looks AS (
    SELECT
        l.source_id,
        l.snapshot_at,
        CASE
            WHEN min(l.quality) = 2 THEN 'complete'
            WHEN max(l.quality) = 0 THEN 'failed'
            ELSE 'partial'
        END AS status,
        sum(l.stated_rows) AS stated_rows,
        sum(coalesce(r.rejected_rows, 0)) AS rejected_rows,
        max(l.known_at) AS known_at
    FROM lists AS l
    LEFT JOIN refused AS r ON l.snapshot_id = r.snapshot_id
    GROUP BY l.source_id, l.snapshot_at
),

numbered AS (
    SELECT
        k.source_id,
        k.snapshot_at,
        k.status,
        k.stated_rows,
        k.rejected_rows,
        k.known_at,
        max(CASE WHEN k.status = 'complete' THEN k.snapshot_at END) OVER (PARTITION BY k.source_id) AS last_good_at,
        row_number() OVER (PARTITION BY k.source_id ORDER BY k.snapshot_at DESC) AS newest
    FROM looks AS k
)

SELECT
    n.source_id,
    count(*) AS look_count,
    max(CASE WHEN n.newest = 1 THEN n.snapshot_at END) AS last_look_at,
    max(CASE WHEN n.newest = 1 THEN n.status END) AS last_status,
    max(n.last_good_at) AS last_good_at,
    CAST(max(CASE WHEN n.snapshot_at = n.last_good_at THEN n.stated_rows END) AS BIGINT) AS stated_rows,
    CAST(max(CASE WHEN n.snapshot_at = n.last_good_at THEN n.rejected_rows END) AS BIGINT) AS rejected_rows,
    count(CASE WHEN n.last_good_at IS NULL OR n.snapshot_at > n.last_good_at THEN 1 END) AS failures_in_a_row
FROM numbered AS n
GROUP BY n.source_id
ORDER BY n.source_id

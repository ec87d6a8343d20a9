-- Grain: one capture that is not normalised under this version of the registers.
-- Unit: rows it states.
-- Inputs: captures, normalisations, stated_offers, stated_trades.
-- Clause: design 1, step 3. What is recorded by now: a recorded clock may stand before later captures.
WITH todo AS (
    SELECT c.capture_id
    FROM captures AS c
    LEFT JOIN normalisations AS n
        ON c.capture_id = n.capture_id AND n.register_version = $register_version
    WHERE n.capture_id IS NULL AND c.known_at <= $now
),

stated AS (
    SELECT o.capture_id
    FROM stated_offers AS o
    UNION ALL
    SELECT t.capture_id
    FROM stated_trades AS t
),

counted AS (
    SELECT
        s.capture_id,
        count(*) AS stated_rows
    FROM stated AS s
    INNER JOIN todo AS d ON s.capture_id = d.capture_id
    GROUP BY s.capture_id
)

SELECT
    d.capture_id,
    coalesce(c.stated_rows, 0) AS stated_rows
FROM todo AS d
LEFT JOIN counted AS c ON d.capture_id = c.capture_id
ORDER BY d.capture_id

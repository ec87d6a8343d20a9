-- The operators as known at the cut-off of a day: class, owner group, and the page that says so.
-- Grain: operator
-- Unit: none
-- Inputs: operators
-- Clause: DESIGN 5 (an operator without a known fact is its own owner group, class unknown)
WITH known AS (
    SELECT
        operator_id,
        name,
        operator_class,
        owner_group,
        country,
        is_cited,
        url,
        observed_on,
        row_number() OVER (
            PARTITION BY operator_id
            ORDER BY is_cited DESC, valid_from DESC, known_at DESC, record_sha256 ASC
        ) AS newest
    FROM operators
    WHERE (NOT is_cited OR available_at <= $cutoff) AND valid_from <= $day
),

named AS (
    SELECT
        operator_id,
        name,
        row_number() OVER (PARTITION BY operator_id ORDER BY known_at DESC, record_sha256 ASC) AS newest
    FROM operators
)

SELECT
    n.operator_id,
    n.name,
    k.operator_class,
    coalesce(k.owner_group, n.operator_id) AS owner_group,
    k.country,
    coalesce(k.is_cited, FALSE) AS is_cited,
    k.url,
    k.observed_on
FROM named AS n
LEFT JOIN known AS k ON n.operator_id = k.operator_id AND k.newest = 1
WHERE n.newest = 1
ORDER BY lower(n.name), n.operator_id;

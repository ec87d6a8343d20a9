-- Grain: an axis of the offers of one source, on the newest day it was seen.
-- Unit: offers.
-- Inputs: offers.
-- Clause: DESIGN 5 (unknown is not no): an axis that is not stated holds its Z code.
WITH newest AS (
    SELECT
        o.stated_id,
        o.chip,
        o.form_memory,
        o.lot,
        o.fabric,
        o.scope,
        o.term,
        o.place,
        row_number() OVER (PARTITION BY o.stated_id ORDER BY o.known_at DESC, o.offer_id) AS newest_of_row
    FROM offers AS o
    WHERE
        o.source_id = $source_id
        AND o.snapshot_day = (
            SELECT max(d.snapshot_day) FROM offers AS d
            WHERE d.source_id = $source_id
        )
),

stated AS (
    SELECT
        count(*) AS offers,
        count(CASE WHEN n.chip <> 'ZZ' THEN 1 END) AS chip,
        count(CASE WHEN left(n.form_memory, 1) <> 'Z' THEN 1 END) AS form,
        count(CASE WHEN right(n.form_memory, 3) <> '000' THEN 1 END) AS memory,
        count(CASE WHEN n.lot <> 'Z' THEN 1 END) AS lot,
        count(CASE WHEN n.fabric <> 'ZZ' THEN 1 END) AS fabric,
        count(CASE WHEN n.scope <> 'ZZ' THEN 1 END) AS scope,
        count(CASE WHEN n.term <> 'ZZ' THEN 1 END) AS term,
        count(CASE WHEN n.place <> 'ZZ' THEN 1 END) AS place
    FROM newest AS n
    WHERE n.newest_of_row = 1
)

SELECT
    s.offers,
    s.chip,
    s.form,
    s.memory,
    s.lot,
    s.fabric,
    s.scope,
    s.term,
    s.place
FROM stated AS s
WHERE s.offers > 0

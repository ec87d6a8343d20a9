-- Grain: one item of the day, on the route that is believed.
-- Unit: USD and the seller's currency per GPU-hour.
-- Inputs: item_days, day_offers.
-- Clause: specification 2: an operator's own offer beats a reseller's or an aggregator's view of it. Views of one
-- machine agree on operator, host, chip and term, and on every other axis or one side does not state it; the lower
-- route rank wins. The same item on two routes of equal rank: the later capture, then the name of the route.
CREATE OR REPLACE TEMPORARY TABLE day_items AS
WITH described AS (
    SELECT
        d.item_key,
        d.route,
        min(d.owner_group) AS owner_group,
        min(d.operator_class) AS operator_class,
        min(d.operator_id) AS operator_id,
        min(replace(d.host_operator_id, '|', '/')) AS host_operator_id,
        min(d.chip) AS chip,
        min(d.form_memory) AS form_memory,
        min(d.lot) AS lot,
        min(d.fabric) AS fabric,
        min(d.scope) AS scope,
        min(d.term) AS term,
        min(d.place) AS place
    FROM day_offers AS d
    GROUP BY d.item_key, d.route
),

best_route AS (
    SELECT
        i.item_key,
        i.route,
        row_number() OVER (
            PARTITION BY i.item_key ORDER BY i.route_rank, i.last_captured_at DESC, i.route
        ) AS preference
    FROM item_days AS i
),

chosen AS (
    SELECT
        i.*,
        x.owner_group,
        x.operator_class,
        x.operator_id,
        x.host_operator_id,
        x.chip,
        x.form_memory,
        x.lot,
        x.fabric,
        x.scope,
        x.term,
        x.place
    FROM item_days AS i
    INNER JOIN best_route AS b ON i.item_key = b.item_key AND i.route = b.route
    INNER JOIN described AS x ON i.item_key = x.item_key AND i.route = x.route
    WHERE b.preference = 1
),

shadowed AS (
    SELECT
        view_of_it.item_key,
        min(own.route) AS own_route
    FROM chosen AS view_of_it
    INNER JOIN chosen AS own
        ON
            view_of_it.operator_id = own.operator_id
            AND view_of_it.chip = own.chip
            AND view_of_it.term = own.term
    WHERE
        own.route_rank < view_of_it.route_rank
        AND view_of_it.host_operator_id = own.host_operator_id
        AND (
            substr(view_of_it.form_memory, 1, 1) = substr(own.form_memory, 1, 1)
            OR substr(view_of_it.form_memory, 1, 1) = 'Z'
            OR substr(own.form_memory, 1, 1) = 'Z'
        )
        AND (
            substr(view_of_it.form_memory, 2) = substr(own.form_memory, 2)
            OR substr(view_of_it.form_memory, 2) = '000'
            OR substr(own.form_memory, 2) = '000'
        )
        AND (view_of_it.lot = own.lot OR view_of_it.lot = 'Z' OR own.lot = 'Z')
        AND (view_of_it.fabric = own.fabric OR view_of_it.fabric = 'ZZ' OR own.fabric = 'ZZ')
        AND (view_of_it.scope = own.scope OR view_of_it.scope = 'ZZ' OR own.scope = 'ZZ')
        AND (view_of_it.place = own.place OR view_of_it.place = 'ZZ' OR own.place = 'ZZ')
    GROUP BY view_of_it.item_key
)

SELECT
    c.*, -- noqa: AM04
    s.own_route
FROM chosen AS c
LEFT JOIN shadowed AS s ON c.item_key = s.item_key

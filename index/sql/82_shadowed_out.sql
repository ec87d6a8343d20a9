-- Grain: one item that is another route's view of an operator's own offer.
-- Unit: none.
-- Inputs: day_items.
-- Clause: specification 2 (an operator's own offer beats a view of it).
SELECT i.item_key
FROM day_items AS i
WHERE i.own_route IS NOT NULL
ORDER BY i.item_key

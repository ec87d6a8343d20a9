-- Grain: one item of the day, as the grades room matches it.
-- Unit: none.
-- Inputs: day_items, day_trades.
-- Clause: specification 1 (what is priced).
CREATE OR REPLACE TEMPORARY TABLE axes_to_match AS
SELECT
    i.item_key AS axes_key,
    i.operator_id,
    i.chip,
    i.form_memory,
    i.lot,
    i.fabric,
    i.scope,
    i.term,
    i.place
FROM day_items AS i
UNION
SELECT
    t.item_key AS axes_key,
    t.operator_id,
    t.chip,
    t.form_memory,
    t.lot,
    t.fabric,
    t.scope,
    t.term,
    t.place
FROM day_trades AS t

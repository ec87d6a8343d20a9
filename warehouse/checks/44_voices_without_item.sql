-- Grain: a voice that no item of its group stands behind.
-- Unit: none.
-- Inputs: voices, items.
-- Clause: specification 5: a voice is the mid median over its group's items; 4: but for a flapping group's, which
-- is the median of its past voices, present or not.
SELECT
    v.day,
    v.grade_id,
    v.vintage,
    v.leg,
    v.owner_group
FROM voices AS v
LEFT JOIN items AS i
    ON
        v.day = i.day
        AND v.grade_id = i.grade_id
        AND v.vintage = i.vintage
        AND v.leg = i.leg
        AND v.owner_group = i.owner_group
WHERE i.item_key IS NULL AND v.leg = 'advertised' AND v.state <> 'frozen'
ORDER BY v.day, v.grade_id, v.vintage, v.leg, v.owner_group;

-- Where the offers of an operator that may be named count on a day, and by which source they reach us.
-- Grain: operator, grade, route, in one vintage
-- Unit: items
-- Inputs: public_items, public_voices
-- Clause: price.md 2 and 12: only what is a voice under its own name
SELECT
    i.operator_id,
    i.owner_group,
    i.grade_id,
    i.route,
    count(*) AS items
FROM public_items AS i
INNER JOIN public_voices AS v
    ON
        i.day = v.day
        AND i.grade_id = v.grade_id
        AND i.vintage = v.vintage
        AND i.leg = v.leg
        AND i.owner_group = v.owner_group
WHERE i.day = $day AND i.vintage = $vintage AND i.leg = 'advertised' AND v.is_public
GROUP BY i.operator_id, i.owner_group, i.grade_id, i.route
ORDER BY i.operator_id, i.grade_id, i.route;

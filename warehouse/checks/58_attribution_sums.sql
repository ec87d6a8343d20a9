-- Grain: an attribution whose parts do not add up to its total.
-- Unit: natural logarithms.
-- Inputs: attributions.
-- Clause: specification 10: the parts add up exactly.
SELECT
    day,
    grade_id,
    vintage,
    total,
    price + fx + entry + exit + mix + regrade + traded + method + carry_over AS parts_sum
FROM attributions
WHERE total <> price + fx + entry + exit + mix + regrade + traded + method + carry_over
ORDER BY day, grade_id, vintage;

-- Grain: a leg of a grade's day whose weights do not add up to one, or a weight outside 0 to 1.
-- Unit: shares.
-- Inputs: voices.
-- Clause: specification 13: caps hold and weights sum to one. Legs in which nobody counts have no
-- weights.
SELECT
    day,
    grade_id,
    vintage,
    leg,
    sum(weight) AS weight_sum,
    min(weight) AS lowest_weight,
    max(weight) AS highest_weight
FROM voices
GROUP BY day, grade_id, vintage, leg
HAVING
    abs(sum(weight) - 1) > 1e-9
    OR min(weight) < 0
    OR max(weight) > 1
ORDER BY day, grade_id, vintage, leg;

-- Who moved the price: weight and leave-one-out of every voice that counted.
-- Grain: grade, leg, owner group
-- Unit: weights that sum to one in a leg, logs
-- Inputs: public_contributions
-- Clause: price.md 9 and 12
-- The view lists the columns that are public.
SELECT * EXCLUDE (known_at) -- noqa: AM04
FROM public_contributions
WHERE day = $day AND vintage = $vintage
ORDER BY grade_code NULLS LAST, grade_id, leg, owner_group;

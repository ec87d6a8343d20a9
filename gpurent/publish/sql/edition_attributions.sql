-- Why the reference moved, in parts that add up exactly.
-- Grain: grade
-- Unit: natural logs
-- Inputs: public_attributions
-- Clause: price.md 10
-- The view lists the columns that are public.
SELECT * EXCLUDE (known_at) -- noqa: AM04
FROM public_attributions
WHERE day = $day AND vintage = $vintage
ORDER BY grade_code NULLS LAST, grade_id;

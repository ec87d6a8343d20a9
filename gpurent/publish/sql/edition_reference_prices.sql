-- The prices of one day and vintage as published, each with the code and title of its grade.
-- Grain: grade
-- Unit: USD per GPU-hour, natural logs, shares
-- Inputs: public_reference_prices
-- Clause: price.md 7-9 and 12
-- The view lists the columns that are public.
SELECT * -- noqa: AM04
FROM public_reference_prices
WHERE day = $day AND vintage = $vintage
ORDER BY grade_code NULLS LAST, grade_id;

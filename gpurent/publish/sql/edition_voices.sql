-- Voices of one day and vintage as published, numbered where a source does not allow redistribution.
-- Grain: grade, leg, owner group
-- Unit: USD per GPU-hour, weights that sum to one in a leg, GPU-hours
-- Inputs: public_voices
-- Clause: price.md 5 and 12
-- The view lists the columns that are public.
SELECT * EXCLUDE (known_at) -- noqa: AM04
FROM public_voices
WHERE day = $day AND vintage = $vintage
ORDER BY grade_code NULLS LAST, grade_id, leg, owner_group;

-- Why the references of a day moved.
-- Grain: grade, in one vintage
-- Unit: logs
-- Inputs: public_attributions
-- Clause: price.md 10
SELECT
    grade_id,
    price,
    fx,
    entry,
    exit,
    mix,
    regrade,
    traded,
    method,
    carry_over,
    total
FROM public_attributions
WHERE day = $day AND vintage = $vintage
ORDER BY grade_id;

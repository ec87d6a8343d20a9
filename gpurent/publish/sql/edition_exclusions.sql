-- What did not count that day, and by which rule.
-- Grain: grade, leg, record, rule
-- Unit: none
-- Inputs: public_exclusions
-- Clause: price.md 2, 4 and 12
-- The view lists the columns that are public.
SELECT * EXCLUDE (known_at) -- noqa: AM04
FROM public_exclusions
WHERE day = $day AND vintage = $vintage
ORDER BY grade_code NULLS LAST, grade_id, leg, owner_group, record_id, rule_id, reason_code, detail;

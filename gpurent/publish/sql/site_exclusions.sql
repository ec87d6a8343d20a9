-- What did not count on a day, and by which rule.
-- Grain: grade, leg, reason, owner group (empty where it may not be named), in one vintage
-- Unit: records
-- Inputs: public_exclusions
-- Clause: price.md 4 and 12: every exclusion has a reason code and is published
SELECT
    grade_id,
    leg,
    reason_code,
    owner_group,
    count(*) AS records,
    min(detail) AS detail
FROM public_exclusions
WHERE day = $day AND vintage = $vintage
GROUP BY grade_id, leg, reason_code, owner_group
ORDER BY grade_id, leg, reason_code, owner_group;

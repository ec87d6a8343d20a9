-- What did not count in a grade's day, and by which rule.
-- Grain: leg, record, rule
-- Unit: none
-- Inputs: exclusions
-- Clause: price.md 2 and 4
SELECT
    leg,
    record_id,
    owner_group,
    rule_id,
    reason_code,
    detail
FROM exclusions
WHERE day = $day AND grade_id = $grade_id AND vintage = $vintage
ORDER BY leg, owner_group, rule_id, record_id, reason_code, detail;

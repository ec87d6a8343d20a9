-- Who contributes to the prices of a day, with what the price would be without them.
-- Grain: grade, leg, owner group (a number where its name may not be shown), in one vintage
-- Unit: USD per GPU-hour; shares; logs
-- Inputs: public_voices, public_contributions
-- Clause: price.md 5 and 12
SELECT
    v.grade_id,
    v.leg,
    v.owner_group,
    v.is_public,
    v.usd_per_gpu_hour,
    v.state,
    v.reason_code,
    v.weight,
    v.verified_age_days,
    v.item_count,
    v.is_firm,
    v.gpu_hours,
    c.leave_one_out
FROM public_voices AS v
LEFT JOIN public_contributions AS c
    ON
        v.day = c.day
        AND v.grade_id = c.grade_id
        AND v.vintage = c.vintage
        AND v.leg = c.leg
        AND v.owner_group = c.owner_group
WHERE v.day = $day AND v.vintage = $vintage
ORDER BY v.grade_id, v.leg, v.weight DESC NULLS LAST, v.usd_per_gpu_hour, v.owner_group;

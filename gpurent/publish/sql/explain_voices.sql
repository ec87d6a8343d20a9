-- The voices of a grade's day on both legs, each with what it did to the price.
-- Grain: leg, owner group
-- Unit: USD per GPU-hour, weights, logs
-- Inputs: voices, contributions
-- Clause: price.md 5 and 9
SELECT
    v.leg,
    v.owner_group,
    v.usd_per_gpu_hour,
    v.state,
    v.reason_code,
    v.weight,
    v.verified_age_days,
    v.item_count,
    v.is_firm,
    v.routes,
    v.previous_usd_per_gpu_hour,
    v.previous_day,
    v.gpu_hours,
    v.is_public,
    c.leave_one_out
FROM voices AS v
LEFT JOIN contributions AS c
    ON
        v.day = c.day
        AND v.grade_id = c.grade_id
        AND v.vintage = c.vintage
        AND v.leg = c.leg
        AND v.owner_group = c.owner_group
WHERE v.day = $day AND v.grade_id = $grade_id AND v.vintage = $vintage
ORDER BY v.leg, v.usd_per_gpu_hour, v.owner_group;

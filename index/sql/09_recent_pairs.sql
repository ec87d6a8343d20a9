-- Grain: one matched owner group of a grade on a recent day of the lineage.
-- Unit: USD per GPU-hour on both sides of the matched change; whole days.
-- Inputs: voices, lineage_days (day, vintage).
-- Clause: specification 9 (one draw of owner groups for the 20 days).
SELECT
    v.day,
    v.grade_id,
    v.owner_group,
    v.matched_usd_per_gpu_hour,
    v.previous_usd_per_gpu_hour,
    v.verified_age_days
FROM voices AS v
INNER JOIN lineage_days AS n ON v.day = n.day AND v.vintage = n.vintage
WHERE v.leg = 'advertised' AND v.matched_usd_per_gpu_hour IS NOT NULL
ORDER BY v.day, v.grade_id, v.owner_group

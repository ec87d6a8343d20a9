-- Grain: a voice that weighs more than the cap its day says was used.
-- Unit: shares.
-- Inputs: voices, reference_prices.
-- Clause: specification 5: caps per owner group; the caps used are published.
SELECT
    v.day,
    v.grade_id,
    v.vintage,
    v.owner_group,
    v.weight,
    p.owner_cap
FROM voices AS v
INNER JOIN reference_prices AS p
    ON
        v.day = p.day
        AND v.grade_id = p.grade_id
        AND v.vintage = p.vintage
WHERE v.leg = 'advertised' AND v.weight > p.owner_cap + 1e-9
ORDER BY v.day, v.grade_id, v.vintage, v.owner_group;

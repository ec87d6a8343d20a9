-- What did not count in a grade's day, by which rule, and the price it would have had.
-- Grain: leg, record, rule
-- Unit: USD per GPU-hour
-- Inputs: exclusions, reference_prices, offers, trades (of the registers the day was computed with)
-- Clause: price.md 2 and 4
WITH refused AS (
    SELECT
        e.leg,
        e.record_id,
        e.owner_group,
        e.rule_id,
        e.reason_code,
        e.detail,
        p.register_version
    FROM exclusions AS e
    INNER JOIN reference_prices AS p
        ON e.day = p.day AND e.grade_id = p.grade_id AND e.vintage = p.vintage
    WHERE e.day = $day AND e.grade_id = $grade_id AND e.vintage = $vintage
)

SELECT
    r.leg,
    r.record_id,
    r.owner_group,
    r.rule_id,
    r.reason_code,
    r.detail,
    coalesce(o.usd_per_gpu_hour, t.usd_per_gpu_hour) AS usd_per_gpu_hour
FROM refused AS r
LEFT JOIN offers AS o
    ON r.record_id = o.offer_id AND r.register_version = o.register_version AND r.leg = 'advertised'
LEFT JOIN trades AS t
    ON r.record_id = t.trade_id AND r.register_version = t.register_version AND r.leg = 'traded'
ORDER BY
    r.leg, r.owner_group, r.rule_id, r.record_id, r.reason_code, r.detail;

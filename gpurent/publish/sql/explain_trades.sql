-- From the sellers of a grade's traded leg to their trades, the words of the report, and the stored file. Trades
-- are those graded here in the longest window (20 days); one that did not count comes with the rule that said so.
-- Trades reported in confidence enter no price of this version, and are not listed.
-- Grain: seller x trade; a seller whose trades are not here is one row without a trade
-- Unit: USD per GPU-hour, GPU-hours
-- Inputs: voices, reference_prices, graded_trades, trades, stated_trades, captures, exclusions; temporary
-- operators_known
-- Clause: price.md 2 and 6
WITH seller AS (
    SELECT
        v.day,
        v.owner_group,
        v.known_at AS voice_known_at,
        p.register_version
    FROM voices AS v
    INNER JOIN reference_prices AS p
        ON v.day = p.day AND v.grade_id = p.grade_id AND v.vintage = p.vintage
    WHERE
        v.day = $day
        AND v.grade_id = $grade_id
        AND v.vintage = $vintage
        AND v.leg = 'traded'
),

refused AS (
    SELECT
        record_id,
        min(reason_code) AS reason_code,
        min(detail) AS detail
    FROM exclusions
    WHERE day = $day AND grade_id = $grade_id AND vintage = $vintage AND leg = 'traded'
    GROUP BY record_id
),

trade AS (
    SELECT
        k.owner_group,
        g.rule_id AS grade_rule,
        t.* -- noqa: AM04
    FROM graded_trades AS g
    INNER JOIN trades AS t ON g.trade_id = t.trade_id AND g.register_version = t.register_version
    INNER JOIN operators_known AS k ON t.operator_id = k.operator_id
    WHERE
        g.grade_id = $grade_id
        AND g.day > CAST($day AS DATE) - 20
        AND g.day <= $day
        AND NOT t.is_confidential
)

SELECT
    s.owner_group,
    t.trade_id,
    r.reason_code,
    r.detail,
    t.operator_id,
    t.operator_rule,
    t.source_id,
    t.reporter_id,
    t.trade_kind,
    t.buyer_pseudonym,
    t.agreement_id,
    t.traded_at,
    t.delivery_start,
    t.delivery_end,
    t.gpu_hours,
    t.usd_per_gpu_hour,
    t.native_per_gpu_hour,
    t.currency,
    t.price_column,
    t.price_step,
    t.gpu_count,
    t.fx_day,
    t.is_synthetic,
    t.grade_rule,
    t.chip,
    t.chip_rule,
    t.form_memory,
    t.form_memory_rule,
    t.lot,
    t.lot_rule,
    t.fabric,
    t.fabric_rule,
    t.scope,
    t.scope_rule,
    t.term,
    t.term_rule,
    t.place,
    t.place_rule,
    w.row_number AS stated_row_number,
    w.operator_text,
    w.sku,
    w.chip_text,
    w.form_text,
    w.memory_text,
    w.fabric_text,
    w.scope_text,
    w.term_text,
    w.place_text,
    w.price_text,
    c.capture_id,
    c.url,
    c.fetched_at,
    c.http_status,
    c.sha256,
    c.size_bytes,
    c.archive_file,
    c.archive_offset
FROM seller AS s
LEFT JOIN trade AS t
    ON
        s.owner_group = t.owner_group
        AND s.register_version = t.register_version
        AND s.voice_known_at >= t.known_at
LEFT JOIN refused AS r ON t.trade_id = r.record_id
LEFT JOIN stated_trades AS w ON t.stated_id = w.stated_id
LEFT JOIN captures AS c ON t.capture_id = c.capture_id
ORDER BY s.owner_group, t.traded_at, t.trade_id;

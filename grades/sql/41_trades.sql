-- Grain: one trade: a stated trade in USD per GPU-hour on the seven axes.
-- Unit: USD and the report's currency per GPU-hour; GPU-hours.
-- Inputs: stated_trades, batch_rows, batch_priced, decided_words, decided_parties.
-- Clause: specification 2 (trade). Buyer and agreement are pseudonyms; duplicates were refused when captured.
SELECT
    'trd_' || substr(sha256('trd' || id_field(t.stated_id) || id_field($register_version)), 1, 24) AS trade_id,
    t.stated_id,
    t.capture_id,
    t.source_id,
    t.reporter_id,
    t.trade_kind,
    w.operator_id,
    w.operator_rule,
    w.operator_id AS host_operator_id,
    d.buyer_pseudonym,
    d.agreement_id,
    t.sku,
    coalesce(t.traded_at, t.delivery_start) AS traded_at,
    CASE WHEN t.traded_at IS NULL THEN 'delivery_start' ELSE 'traded_at' END AS traded_at_from,
    t.delivery_start,
    t.delivery_end,
    t.gpu_count,
    p.gpu_hours,
    t.price_column,
    p.price_step,
    t.currency,
    p.native_per_gpu_hour,
    p.usd_per_gpu_hour,
    p.fx_day,
    w.chip,
    w.chip_rule,
    w.form_memory,
    w.form_memory_rule,
    w.lot,
    w.lot_rule,
    w.fabric,
    w.fabric_rule,
    w.scope,
    w.scope_rule,
    w.term,
    w.term_rule,
    w.place,
    w.place_rule,
    t.is_arms_length,
    t.is_administered,
    t.is_confidential,
    t.is_synthetic,
    CAST($register_version AS VARCHAR) AS register_version,
    t.available_at,
    t.known_at
FROM stated_trades AS t
INNER JOIN batch_rows AS b ON t.stated_id = b.stated_id
INNER JOIN batch_priced AS p ON b.stated_id = p.stated_id
INNER JOIN decided_words AS w ON b.words_key = w.words_key
INNER JOIN decided_parties AS d
    ON t.reporter_id = d.reporter_id AND t.buyer_text = d.buyer_text AND t.agreement_text = d.agreement_text
WHERE b.record_kind = 'trade' AND p.reason_code IS NULL
ORDER BY t.capture_id, t.row_number, t.stated_id

-- Grain: one offer: a stated offer in USD per GPU-hour on the seven axes.
-- Unit: USD and the seller's currency per GPU-hour.
-- Inputs: stated_offers, batch_rows, batch_priced, decided_words, decided_hosts, source_routes.
-- Clause: specification 2: a marketplace is one where the class is that and the venue's own source names
-- hosts.
SELECT
    'off_' || substr(sha256('off' || id_field(o.stated_id) || id_field($register_version)), 1, 24) AS offer_id,
    o.stated_id,
    o.capture_id,
    o.source_id,
    o.snapshot_id,
    o.source_id AS route,
    CAST(coalesce(r.route_rank, $unknown_route_rank) AS INTEGER) AS route_rank,
    w.operator_id,
    w.operator_rule,
    coalesce(h.host_operator_id, w.operator_id) AS host_operator_id,
    o.sku,
    o.offer_class,
    o.price_amount,
    o.currency,
    o.price_basis,
    p.price_step,
    o.gpu_count,
    p.native_per_gpu_hour,
    p.usd_per_gpu_hour,
    o.is_converted,
    p.fx_day,
    CAST(p.fx_age_days AS INTEGER) AS fx_age_days,
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
    w.operator_class = 'MKT'
    AND coalesce(r.is_venue, FALSE)
    AND (o.host_text IS NOT NULL OR o.host_count IS NOT NULL) AS is_marketplace,
    o.available_gpus,
    o.host_count,
    o.offer_count,
    o.snapshot_at,
    CAST(o.snapshot_at AS DATE) AS snapshot_day,
    o.observed_at,
    o.effective_date,
    CAST($register_version AS VARCHAR) AS register_version,
    o.available_at,
    o.known_at
FROM stated_offers AS o
INNER JOIN batch_rows AS b ON o.stated_id = b.stated_id
INNER JOIN batch_priced AS p ON b.stated_id = p.stated_id
INNER JOIN decided_words AS w ON b.words_key = w.words_key
LEFT JOIN decided_hosts AS h ON o.host_text = h.host_text
LEFT JOIN source_routes AS r ON o.source_id = r.source_id
WHERE b.record_kind = 'offer' AND p.reason_code IS NULL
ORDER BY o.capture_id, o.row_number, o.stated_id

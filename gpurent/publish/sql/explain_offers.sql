-- From the advertised items of a grade's day to their offers, the source's words, and the stored response.
-- An item is (operator, host, seven axes); its captures are those of its route on the UTC day of its newest
-- snapshot, so a carried item leads back to the day it was last seen.
-- Grain: item x offer; an item whose offers are not here (other registers) is one row without an offer
-- Unit: USD and native price per GPU-hour
-- Inputs: items, reference_prices, offers, stated_offers, captures
-- Clause: price.md 2 and 3
SELECT
    i.owner_group,
    i.item_key,
    i.operator_id,
    i.host_operator_id,
    i.chip,
    i.form_memory,
    i.lot,
    i.fabric,
    i.scope,
    i.term,
    i.place,
    i.route,
    i.state,
    i.reason_code,
    i.usd_per_gpu_hour AS item_usd_per_gpu_hour,
    i.observed_usd_per_gpu_hour,
    i.verified_at,
    i.verified_age_days,
    i.snapshot_day,
    i.capture_count,
    i.relabelled_from,
    o.offer_id,
    o.source_id,
    o.offer_class,
    o.snapshot_at,
    o.observed_at,
    o.usd_per_gpu_hour,
    o.native_per_gpu_hour,
    o.price_amount,
    o.currency,
    o.price_basis,
    o.price_step,
    o.gpu_count,
    o.fx_day,
    o.operator_rule,
    o.chip_rule,
    o.form_memory_rule,
    o.lot_rule,
    o.fabric_rule,
    o.scope_rule,
    o.term_rule,
    o.place_rule,
    w.row_number AS stated_row_number,
    w.operator_text,
    w.host_text,
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
FROM items AS i
INNER JOIN reference_prices AS p
    ON i.day = p.day AND i.grade_id = p.grade_id AND i.vintage = p.vintage
LEFT JOIN offers AS o
    ON
        i.snapshot_day = o.snapshot_day
        AND i.route = o.route
        AND i.operator_id = o.operator_id
        -- the items' key spells a host's bar as a slash
        AND i.host_operator_id = replace(o.host_operator_id, '|', '/')
        AND i.chip = o.chip
        AND i.form_memory = o.form_memory
        AND i.lot = o.lot
        AND i.fabric = o.fabric
        AND i.scope = o.scope
        AND i.term = o.term
        AND i.place = o.place
        AND i.currency = o.currency
        AND i.known_at >= o.known_at
        AND p.register_version = o.register_version
        AND o.offer_class <> 'indication'
LEFT JOIN stated_offers AS w ON o.stated_id = w.stated_id
LEFT JOIN captures AS c ON o.capture_id = c.capture_id
WHERE
    i.day = $day
    AND i.grade_id = $grade_id
    AND i.vintage = $vintage
    AND i.leg = 'advertised'
ORDER BY i.owner_group, i.item_key, o.snapshot_at, c.fetched_at, c.capture_id, w.row_number, o.offer_id;

-- From the advertised items of a grade's day to their offers, the source's words, and the stored response.
-- An item is (operator, host, seven axes); its captures are those of its route on the UTC day of its newest
-- snapshot, so a carried item leads back to the day it was last seen.
-- Grain: item x offer; an item whose offers are not here (other registers) is one row without an offer
-- Unit: USD and native price per GPU-hour
-- Inputs: items, reference_prices, offers, stated_offers, captures
-- Clause: price.md 2 and 3
WITH item AS (
    SELECT
        items.item_key,
        items.owner_group,
        items.operator_id,
        items.host_operator_id,
        items.chip,
        items.form_memory,
        items.lot,
        items.fabric,
        items.scope,
        items.term,
        items.place,
        items.route,
        items.offer_class,
        items.currency AS item_currency,
        items.known_at AS item_known_at,
        items.state,
        items.reason_code,
        items.usd_per_gpu_hour,
        items.observed_usd_per_gpu_hour,
        items.verified_at,
        items.verified_age_days,
        items.snapshot_day,
        items.capture_count,
        items.relabelled_from,
        price.register_version,
        price.construction
    FROM items
    INNER JOIN reference_prices AS price
        ON
            items.day = price.day
            AND items.grade_id = price.grade_id
            AND items.vintage = price.vintage
    WHERE
        items.day = $day
        AND items.grade_id = $grade_id
        AND items.vintage = $vintage
        AND items.leg = 'advertised'
)

SELECT
    item.* EXCLUDE (item_currency, item_known_at),
    offers.offer_id,
    offers.source_id,
    offers.snapshot_at,
    offers.observed_at,
    offers.usd_per_gpu_hour AS offer_usd_per_gpu_hour,
    offers.native_per_gpu_hour AS offer_native_per_gpu_hour,
    offers.price_amount,
    offers.currency,
    offers.price_basis,
    offers.price_step,
    offers.gpu_count,
    offers.fx_day,
    offers.operator_rule,
    offers.chip_rule,
    offers.form_memory_rule,
    offers.lot_rule,
    offers.fabric_rule,
    offers.scope_rule,
    offers.term_rule,
    offers.place_rule,
    stated.row_number AS stated_row_number,
    stated.operator_text,
    stated.host_text,
    stated.sku,
    stated.chip_text,
    stated.form_text,
    stated.memory_text,
    stated.fabric_text,
    stated.scope_text,
    stated.term_text,
    stated.place_text,
    stated.price_text,
    captures.capture_id,
    captures.url,
    captures.fetched_at,
    captures.http_status,
    captures.sha256,
    captures.size_bytes,
    captures.archive_file,
    captures.archive_offset
FROM item
LEFT JOIN offers
    ON
        item.snapshot_day = offers.snapshot_day
        AND item.route = offers.route
        AND item.operator_id = offers.operator_id
        AND item.host_operator_id = replace(offers.host_operator_id, '|', '/')
        AND item.chip = offers.chip
        AND item.form_memory = offers.form_memory
        AND item.lot = offers.lot
        AND item.fabric = offers.fabric
        AND item.scope = offers.scope
        AND item.term = offers.term
        AND item.place = offers.place
        AND item.register_version = offers.register_version
        AND item.item_currency = offers.currency
        AND item.item_known_at >= offers.known_at
        AND offers.offer_class <> 'indication'
LEFT JOIN stated_offers AS stated
    ON offers.stated_id = stated.stated_id
LEFT JOIN captures
    ON offers.capture_id = captures.capture_id
ORDER BY
    item.owner_group,
    item.item_key,
    offers.snapshot_at,
    captures.fetched_at,
    captures.capture_id,
    stated.row_number,
    offers.offer_id;

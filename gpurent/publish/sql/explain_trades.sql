-- From the traded items of a grade's day to their trades, the words of the report, and the stored file.
-- An item's trades are those of its operator, host and axes, graded here, of its UTC day of delivery.
-- Grain: item x trade; an item whose trades are not here is one row without a trade
-- Unit: USD per GPU-hour, GPU-hours
-- Inputs: items, reference_prices, graded_trades, trades, stated_trades, captures
-- Clause: price.md 2
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
        items.state,
        items.reason_code,
        items.usd_per_gpu_hour,
        items.observed_usd_per_gpu_hour,
        items.verified_at,
        items.verified_age_days,
        items.snapshot_day,
        items.capture_count,
        items.gpu_hours,
        items.buyer_count,
        items.trade_count,
        price.register_version
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
        AND items.leg = 'traded'
),

trade AS (
    SELECT
        graded_trades.day AS graded_day,
        graded_trades.rule_id AS grade_rule,
        trades.*
    FROM graded_trades
    INNER JOIN trades
        ON
            graded_trades.trade_id = trades.trade_id
            AND graded_trades.register_version = trades.register_version
    WHERE graded_trades.grade_id = $grade_id
)

SELECT
    item.*,
    trade.trade_id,
    trade.source_id,
    trade.reporter_id,
    trade.trade_kind,
    trade.buyer_pseudonym,
    trade.agreement_id,
    trade.traded_at,
    trade.delivery_start,
    trade.delivery_end,
    trade.gpu_hours AS trade_gpu_hours,
    trade.usd_per_gpu_hour AS trade_usd_per_gpu_hour,
    trade.native_per_gpu_hour AS trade_native_per_gpu_hour,
    trade.currency,
    trade.price_column,
    trade.price_step,
    trade.gpu_count,
    trade.fx_day,
    trade.is_synthetic,
    trade.grade_rule,
    trade.operator_rule,
    trade.chip_rule,
    trade.form_memory_rule,
    trade.lot_rule,
    trade.fabric_rule,
    trade.scope_rule,
    trade.term_rule,
    trade.place_rule,
    stated.row_number AS stated_row_number,
    stated.operator_text,
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
LEFT JOIN trade
    ON
        item.snapshot_day = trade.graded_day
        AND item.operator_id = trade.operator_id
        AND item.host_operator_id = replace(trade.host_operator_id, '|', '/')
        AND item.chip = trade.chip
        AND item.form_memory = trade.form_memory
        AND item.lot = trade.lot
        AND item.fabric = trade.fabric
        AND item.scope = trade.scope
        AND item.term = trade.term
        AND item.place = trade.place
        AND item.register_version = trade.register_version
LEFT JOIN stated_trades AS stated
    ON trade.stated_id = stated.stated_id
LEFT JOIN captures
    ON trade.capture_id = captures.capture_id
ORDER BY
    item.owner_group,
    item.item_key,
    trade.traded_at,
    trade.trade_id;

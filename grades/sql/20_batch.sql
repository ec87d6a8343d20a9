-- Grain: one stated offer or trade of the batch that is not settled, with the key of its words.
-- Unit: as stated.
-- Inputs: stated_offers, stated_trades, settled_rows, batch_captures (capture_id).
-- Clause: design 1, step 3. A price for one GPU says nothing of the number rented.
CREATE OR REPLACE TEMPORARY TABLE batch_rows AS
WITH stated AS (
    SELECT
        'offer' AS record_kind,
        o.stated_id,
        o.capture_id,
        o.source_id,
        o.row_number,
        o.operator_text,
        o.host_text,
        o.chip_text,
        o.form_text,
        o.memory_text,
        o.memory_gb,
        o.gpu_count,
        o.lot_min_gpus,
        o.lot_max_gpus,
        o.fabric_text,
        o.scope_text,
        o.term_text,
        o.place_text,
        o.class_text,
        o.price_basis,
        o.block_hours,
        o.currency,
        CAST(o.price_amount AS DOUBLE) AS amount,
        CAST(NULL AS DOUBLE) AS quantity,
        o.observed_at AS priced_at,
        o.available_at,
        o.known_at
    FROM stated_offers AS o
    INNER JOIN batch_captures AS b ON o.capture_id = b.capture_id
    LEFT JOIN settled_rows AS done ON o.stated_id = done.stated_id
    WHERE done.stated_id IS NULL
    UNION ALL
    SELECT
        'trade' AS record_kind,
        t.stated_id,
        t.capture_id,
        t.source_id,
        t.row_number,
        t.operator_text,
        NULL AS host_text,
        t.chip_text,
        t.form_text,
        t.memory_text,
        t.memory_gb,
        t.gpu_count,
        t.lot_gpus AS lot_min_gpus,
        t.lot_gpus AS lot_max_gpus,
        t.fabric_text,
        t.scope_text,
        t.term_text,
        t.place_text,
        NULL AS class_text,
        t.price_basis,
        NULL AS block_hours,
        t.currency,
        CAST(t.cost_amount AS DOUBLE) / CAST(nullif(t.quantity, 0) AS DOUBLE) AS amount,
        CAST(t.quantity AS DOUBLE) AS quantity,
        coalesce(t.traded_at, t.delivery_start) AS priced_at,
        t.available_at,
        t.known_at
    FROM stated_trades AS t
    INNER JOIN batch_captures AS b ON t.capture_id = b.capture_id
    LEFT JOIN settled_rows AS done ON t.stated_id = done.stated_id
    WHERE done.stated_id IS NULL
)

SELECT
    s.*,
    starts_with(s.price_basis, 'gpu_') AS is_per_gpu,
    spelled_word(s.source_id)
    || spelled_word(s.operator_text)
    || spelled_word(s.chip_text)
    || spelled_word(s.form_text)
    || spelled_word(s.memory_text)
    || spelled_word(CAST(s.memory_gb AS VARCHAR))
    || spelled_word(CAST(s.gpu_count AS VARCHAR))
    || spelled_word(CAST(s.lot_min_gpus AS VARCHAR))
    || spelled_word(CAST(s.lot_max_gpus AS VARCHAR))
    || spelled_word(s.fabric_text)
    || spelled_word(s.scope_text)
    || spelled_word(s.term_text)
    || spelled_word(s.place_text)
    || spelled_word(s.class_text)
    || CASE WHEN starts_with(s.price_basis, 'gpu_') THEN 'g' ELSE 'm' END AS words_key
FROM stated AS s

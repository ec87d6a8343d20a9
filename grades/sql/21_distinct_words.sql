-- Grain: one set of words that rows of the batch share; the axes are decided once for each.
-- Unit: as stated.
-- Inputs: batch_rows.
-- Clause: design 1, step 3; grades 3.1.
SELECT
    b.words_key,
    min(b.source_id) AS source_id,
    min(b.operator_text) AS operator_text,
    min(b.chip_text) AS chip_text,
    min(b.form_text) AS form_text,
    min(b.memory_text) AS memory_text,
    min(b.memory_gb) AS memory_gb,
    min(b.gpu_count) AS gpu_count,
    min(b.lot_min_gpus) AS lot_min_gpus,
    min(b.lot_max_gpus) AS lot_max_gpus,
    min(b.fabric_text) AS fabric_text,
    min(b.scope_text) AS scope_text,
    min(b.term_text) AS term_text,
    min(b.place_text) AS place_text,
    min(b.class_text) AS class_text,
    bool_and(b.is_per_gpu) AS is_per_gpu
FROM batch_rows AS b
GROUP BY b.words_key
ORDER BY b.words_key

-- Grain: a key of a table without a primary key that stands there twice.
-- Unit: rows.
-- Inputs: items, voices, reference_prices, contributions, series_states, rejections, editions.
-- Clause: DESIGN 4: the grain of each table.
WITH keyed AS (
    SELECT
        'items' AS table_name,
        concat_ws(' ', day, grade_id, vintage, leg, item_key) AS row_key
    FROM items
    UNION ALL
    SELECT
        'voices' AS table_name,
        concat_ws(' ', day, grade_id, vintage, leg, owner_group) AS row_key
    FROM voices
    UNION ALL
    SELECT
        'reference_prices' AS table_name,
        concat_ws(' ', day, grade_id, vintage) AS row_key
    FROM reference_prices
    UNION ALL
    SELECT
        'contributions' AS table_name,
        concat_ws(' ', day, grade_id, vintage, leg, owner_group) AS row_key
    FROM contributions
    UNION ALL
    SELECT
        'series_states' AS table_name,
        concat_ws(' ', day, grade_id, vintage) AS row_key
    FROM series_states
    UNION ALL
    SELECT
        'rejections' AS table_name,
        rejection_id AS row_key
    FROM rejections
    UNION ALL
    SELECT
        'editions' AS table_name,
        edition_id AS row_key
    FROM editions
)

SELECT
    table_name,
    row_key,
    count(*) AS row_count
FROM keyed
GROUP BY table_name, row_key
HAVING count(*) > 1
ORDER BY table_name, row_key;

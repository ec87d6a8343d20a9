-- Grain: a register record that ends before it begins.
-- Unit: days.
-- Inputs: operators, grade_specs, grades, operator_tiers.
-- Clause: DESIGN 5: registers are dated.
WITH spans AS (
    SELECT
        'operators' AS table_name,
        operator_id AS row_id,
        valid_from,
        valid_to
    FROM operators
    UNION ALL
    SELECT
        'grade_specs' AS table_name,
        spec_id AS row_id,
        valid_from,
        valid_to
    FROM grade_specs
    UNION ALL
    SELECT
        'grades' AS table_name,
        grade_id AS row_id,
        valid_from,
        valid_to
    FROM grades
    UNION ALL
    SELECT
        'operator_tiers' AS table_name,
        operator_id || ' ' || scope AS row_id,
        valid_from,
        valid_to
    FROM operator_tiers
)

SELECT
    table_name,
    row_id,
    valid_from,
    valid_to
FROM spans
WHERE valid_to <= valid_from
ORDER BY table_name, row_id, valid_from;

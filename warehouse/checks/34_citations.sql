-- Grain: a fact that is called cited and has no address or date.
-- Unit: none.
-- Inputs: operators, operator_evidence.
-- Clause: DESIGN 5: a register fact is cited (address and date) or it is uncited and counts for nothing.
WITH facts AS (
    SELECT
        'operators' AS table_name,
        operator_id AS row_id,
        is_cited,
        url,
        observed_on
    FROM operators
    UNION ALL
    SELECT
        'operator_evidence' AS table_name,
        evidence_id AS row_id,
        is_cited,
        url,
        observed_at AS observed_on
    FROM operator_evidence
)

SELECT
    table_name,
    row_id,
    url,
    observed_on
FROM facts
WHERE is_cited AND (coalesce(url, '') = '' OR observed_on IS NULL)
ORDER BY table_name, row_id;

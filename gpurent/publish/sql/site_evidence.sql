-- The evidence about every operator that was available at the cut-off of a day, and what is uncited.
-- Grain: a statement of a page on an operator, a scope and a criterion
-- Unit: none
-- Inputs: operator_evidence
-- Clause: grades.md 3.5; DESIGN 5 (uncited facts are shown as such and never count)
WITH numbered AS (
    SELECT
        operator_id,
        scope,
        category,
        criterion,
        result,
        value,
        unit,
        source_class,
        origin,
        confidence,
        is_cited,
        is_synthetic,
        observed_at,
        expires_at,
        url,
        row_number() OVER (PARTITION BY evidence_id ORDER BY known_at DESC, record_sha256 ASC) AS newest
    FROM operator_evidence
    WHERE available_at IS NULL OR available_at <= $cutoff
)

SELECT
    operator_id,
    scope,
    category,
    criterion,
    result,
    value,
    unit,
    source_class,
    origin,
    confidence,
    is_cited,
    is_synthetic,
    observed_at,
    expires_at,
    url
FROM numbered
WHERE newest = 1
ORDER BY operator_id, scope, category, criterion, observed_at DESC NULLS LAST, url, value;

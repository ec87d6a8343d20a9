-- The tier of every operator in every service scope as known at the cut-off of a day.
-- Grain: operator, scope
-- Unit: shares
-- Inputs: operator_tiers
-- Clause: grades.md 3.5
WITH numbered AS (
    SELECT
        operator_id,
        scope,
        tier,
        is_provisional,
        is_synthetic,
        score,
        coverage,
        reason,
        valid_from,
        row_number() OVER (
            PARTITION BY operator_id, scope ORDER BY valid_from DESC, known_at DESC, record_sha256 ASC
        ) AS newest
    FROM operator_tiers
    WHERE
        available_at <= $cutoff
        AND valid_from <= $day
        AND (valid_to IS NULL OR valid_to > $day)
        AND (superseded_at IS NULL OR superseded_at > $cutoff)
)

SELECT
    operator_id,
    scope,
    tier,
    is_provisional,
    is_synthetic,
    score,
    coverage,
    reason,
    valid_from
FROM numbered
WHERE newest = 1
ORDER BY operator_id, scope;

-- Grain: one operator of the register, as known at the cut-off.
-- Unit: none.
-- Inputs: operators.
-- Clause: specification 3: an operator without a known fact that day is its own owner group, class unknown.
-- Uncited facts count for nothing. The day is the one whose cut-off this is.
CREATE OR REPLACE TEMPORARY TABLE operators_known AS
WITH known AS (
    SELECT
        o.operator_id,
        o.operator_class,
        o.owner_group,
        row_number() OVER (
            PARTITION BY o.operator_id ORDER BY o.valid_from DESC, o.known_at DESC, o.record_sha256
        ) AS newest
    FROM operators AS o
    WHERE
        o.is_cited
        AND o.valid_from < CAST(timezone('UTC', CAST($cutoff AS TIMESTAMPTZ)) AS DATE)
        AND (o.valid_to IS NULL OR o.valid_to >= CAST(timezone('UTC', CAST($cutoff AS TIMESTAMPTZ)) AS DATE))
        AND (
            (NOT $is_reconstructed AND o.known_at <= CAST($cutoff AS TIMESTAMPTZ))
            OR ($is_reconstructed AND o.available_at <= CAST($cutoff AS TIMESTAMPTZ))
        )
),

registered AS (
    SELECT DISTINCT o.operator_id
    FROM operators AS o
)

SELECT
    r.operator_id,
    coalesce(k.operator_class, 'UNK') AS operator_class,
    coalesce(k.owner_group, r.operator_id) AS owner_group
FROM registered AS r
LEFT JOIN known AS k ON r.operator_id = k.operator_id AND k.newest = 1

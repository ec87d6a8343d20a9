-- Grain: one trade: buyer x seller x item x agreement x UTC day.
-- Unit: GPU-hours summed; USD and the seller's currency per GPU-hour weighted by hours.
-- Inputs: trades, temporary operators_known.
-- Clause: specification 2 (trade), 6 (window), 12: confidential trades stay out of every public cell.
CREATE OR REPLACE TEMPORARY TABLE day_trades AS
WITH keyed AS (
    SELECT
        t.trade_id,
        t.agreement_id,
        t.buyer_pseudonym,
        t.operator_id,
        t.trade_kind,
        t.is_arms_length,
        t.is_administered,
        t.is_synthetic,
        t.currency,
        t.chip,
        t.form_memory,
        t.lot,
        t.fabric,
        t.scope,
        t.term,
        t.place,
        k.owner_group,
        t.gpu_hours,
        t.usd_per_gpu_hour,
        t.native_per_gpu_hour,
        CAST(t.traded_at AS DATE) AS trade_day,
        k.owner_group
        || '|' || t.operator_id
        || '|' || replace(t.host_operator_id, '|', '/')
        || '|' || t.chip
        || '|' || t.form_memory
        || '|' || t.lot
        || '|' || t.fabric
        || '|' || t.scope
        || '|' || t.term
        || '|' || t.place AS item_key
    FROM trades AS t
    INNER JOIN operators_known AS k ON t.operator_id = k.operator_id
    WHERE
        CAST(t.traded_at AS DATE) >= $first_trade_day
        AND CAST(t.traded_at AS DATE) <= $day
        AND NOT t.is_confidential
        AND t.gpu_hours > 0
        AND t.scope <> 'MI'
        AND t.register_version = $register_version
        AND (
            (NOT $is_reconstructed AND t.known_at <= $cutoff)
            OR ($is_reconstructed AND t.available_at <= $cutoff)
        )
)

SELECT
    k.item_key,
    k.agreement_id,
    k.buyer_pseudonym,
    k.operator_id,
    k.owner_group,
    k.trade_day,
    k.currency,
    k.trade_kind,
    min(k.trade_id) AS trade_id,
    min(k.chip) AS chip,
    min(k.form_memory) AS form_memory,
    min(k.lot) AS lot,
    min(k.fabric) AS fabric,
    min(k.scope) AS scope,
    min(k.term) AS term,
    min(k.place) AS place,
    min(CASE WHEN k.is_arms_length IS NULL THEN NULL WHEN k.is_arms_length THEN 1 ELSE 0 END) AS is_arms_length,
    max(CASE WHEN k.is_administered THEN 1 ELSE 0 END) AS is_administered,
    max(CASE WHEN k.is_synthetic THEN 1 ELSE 0 END) AS is_synthetic,
    count(*) AS trade_rows,
    sum(k.gpu_hours) AS gpu_hours,
    CAST(
        CAST(sum(CAST(CAST(k.usd_per_gpu_hour AS DECIMAL(30, 15)) * k.gpu_hours AS DECIMAL(30, 15))) AS DOUBLE)
        / CAST(sum(k.gpu_hours) AS DOUBLE) AS DECIMAL(18, 9)
    ) AS usd_per_gpu_hour,
    CAST(
        CAST(sum(CAST(CAST(k.native_per_gpu_hour AS DECIMAL(30, 15)) * k.gpu_hours AS DECIMAL(30, 15))) AS DOUBLE)
        / CAST(sum(k.gpu_hours) AS DOUBLE) AS DECIMAL(18, 9)
    ) AS native_per_gpu_hour
FROM keyed AS k
GROUP BY
    k.item_key,
    k.agreement_id,
    k.buyer_pseudonym,
    k.operator_id,
    k.owner_group,
    k.trade_day,
    k.currency,
    k.trade_kind

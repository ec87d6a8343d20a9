-- Grain: one offer or trade of the batch, as it is matched on its own day.
-- Unit: none.
-- Inputs: offers, trades, batch_rows.
-- Clause: design 1, step 4: an offer's day is the one it was present on, a trade's the one it was concluded
-- on; a row recorded after its day's cut-off (06:00 UTC of the next day) is matched by what could be known
-- then.
CREATE OR REPLACE TEMPORARY TABLE batch_records AS
WITH records AS (
    SELECT
        'offer' AS record_kind,
        o.offer_id AS record_id,
        o.stated_id,
        o.capture_id,
        o.source_id,
        o.snapshot_day AS day,
        o.operator_id,
        o.chip,
        o.form_memory,
        o.lot,
        o.fabric,
        o.scope,
        o.term,
        o.place,
        o.gpu_count,
        o.offer_class,
        o.observed_at,
        o.available_at,
        o.known_at
    FROM offers AS o
    INNER JOIN batch_rows AS b ON o.stated_id = b.stated_id
    WHERE o.register_version = $register_version
    UNION ALL
    SELECT
        'trade' AS record_kind,
        t.trade_id AS record_id,
        t.stated_id,
        t.capture_id,
        t.source_id,
        CAST(t.traded_at AS DATE) AS day,
        t.operator_id,
        t.chip,
        t.form_memory,
        t.lot,
        t.fabric,
        t.scope,
        t.term,
        t.place,
        t.gpu_count,
        'trade' AS offer_class,
        t.traded_at AS observed_at,
        t.available_at,
        t.known_at
    FROM trades AS t
    INNER JOIN batch_rows AS b ON t.stated_id = b.stated_id
    WHERE t.register_version = $register_version
),

dated AS (
    SELECT
        r.*,
        CAST(r.day AS TIMESTAMP) + INTERVAL 30 HOUR AS cutoff_utc
    FROM records AS r
)

SELECT
    d.record_kind,
    d.record_id,
    d.stated_id,
    d.capture_id,
    d.source_id,
    d.day,
    timezone('UTC', d.cutoff_utc) AS cutoff,
    d.known_at > timezone('UTC', d.cutoff_utc) AS is_reconstructed,
    d.operator_id,
    d.chip,
    d.form_memory,
    d.lot,
    d.fabric,
    d.scope,
    d.term,
    d.place,
    d.observed_at,
    d.available_at,
    CASE
        WHEN coalesce(d.gpu_count, 1) < 1 THEN 'slice_of_gpu'
        WHEN d.offer_class = 'indication' THEN 'indication'
    END AS refused,
    CAST(d.day AS VARCHAR)
    || CASE WHEN d.known_at > timezone('UTC', d.cutoff_utc) THEN '|r' ELSE '|l' END AS day_key,
    d.operator_id
    || '|' || d.chip
    || '|' || d.form_memory
    || '|' || d.lot
    || '|' || d.fabric
    || '|' || d.scope
    || '|' || d.term
    || '|' || d.place AS axes_key
FROM dated AS d;

CREATE OR REPLACE TEMPORARY TABLE days_to_match AS
SELECT DISTINCT
    r.day_key,
    r.day,
    r.cutoff,
    r.is_reconstructed
FROM batch_records AS r;

CREATE OR REPLACE TEMPORARY TABLE axes_on_days AS
SELECT DISTINCT
    r.day_key,
    r.axes_key,
    r.operator_id,
    r.chip,
    r.form_memory,
    r.lot,
    r.fabric,
    r.scope,
    r.term,
    r.place
FROM batch_records AS r

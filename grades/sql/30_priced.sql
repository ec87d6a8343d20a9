-- Grain: one stated row of the batch with its price of one GPU for one hour, or the reason why it has none.
-- Unit: the seller's currency and USD per GPU-hour; gpu_hours in GPU-hours (trades only).
-- Inputs: batch_rows, price_bases (basis, step, needs_gpu_count, needs_hours, hours, per_hour), fx_rates.
-- Clause: specification 3: the last ECB rate already published at the observation. Of two records of one
-- day's rate the later one holds from its own publication on. Arithmetic is in DOUBLE, rounded once to 9
-- decimals.
CREATE OR REPLACE TEMPORARY TABLE fx_in_force AS
WITH published AS (
    SELECT
        f.currency,
        f.day,
        f.usd_per_unit,
        f.published_at,
        row_number() OVER (
            PARTITION BY f.currency, f.published_at ORDER BY f.day DESC, f.known_at DESC, f.capture_id
        ) AS newest
    FROM fx_rates AS f
)

SELECT
    p.currency,
    p.day,
    CAST(p.usd_per_unit AS DOUBLE) AS usd_per_unit,
    p.published_at AS holds_from,
    lead(p.published_at) OVER (PARTITION BY p.currency ORDER BY p.published_at) AS holds_until
FROM published AS p
WHERE p.newest = 1;

CREATE OR REPLACE TEMPORARY TABLE batch_rates AS
WITH asked AS (
    SELECT DISTINCT
        b.currency,
        b.priced_at
    FROM batch_rows AS b
    WHERE b.currency <> 'USD'
)

SELECT
    a.currency,
    a.priced_at,
    f.day AS fx_day,
    f.usd_per_unit
FROM asked AS a
INNER JOIN fx_in_force AS f
    ON
        a.currency = f.currency
        AND a.priced_at >= f.holds_from
        AND (f.holds_until IS NULL OR a.priced_at < f.holds_until);

CREATE OR REPLACE TEMPORARY TABLE batch_priced AS
WITH divided AS (
    SELECT
        b.stated_id,
        b.record_kind,
        b.currency,
        b.price_basis,
        b.priced_at,
        b.gpu_count,
        b.block_hours,
        b.amount,
        b.quantity,
        p.basis,
        p.step AS price_step,
        r.fx_day,
        CASE WHEN b.currency = 'USD' THEN 1.0 ELSE r.usd_per_unit END AS usd_per_unit,
        p.needs_gpu_count AND coalesce(b.gpu_count, 0) <= 0 AS lacks_gpu_count,
        p.needs_hours AND coalesce(b.block_hours, 0) <= 0 AS lacks_hours,
        p.hours
        * CASE WHEN p.needs_gpu_count THEN CAST(b.gpu_count AS DOUBLE) ELSE 1.0 END
        * CASE WHEN p.needs_hours THEN CAST(b.block_hours AS DOUBLE) ELSE 1.0 END AS covered_hours,
        p.per_hour
    FROM batch_rows AS b
    LEFT JOIN price_bases AS p ON b.price_basis = p.basis
    LEFT JOIN batch_rates AS r ON b.currency = r.currency AND b.priced_at = r.priced_at
),

per_hour AS (
    SELECT
        d.*,
        d.amount * d.per_hour / nullif(d.covered_hours, 0) AS native,
        d.amount * d.per_hour / nullif(d.covered_hours, 0) * d.usd_per_unit AS usd,
        d.quantity * d.covered_hours / d.per_hour AS hours_sold
    FROM divided AS d
)

SELECT
    h.stated_id,
    h.price_step,
    h.fx_day,
    date_diff('day', h.fx_day, CAST(h.priced_at AS DATE)) AS fx_age_days,
    try_cast(h.native AS DECIMAL(18, 9)) AS native_per_gpu_hour,
    try_cast(h.usd AS DECIMAL(18, 9)) AS usd_per_gpu_hour,
    try_cast(h.hours_sold AS DECIMAL(18, 6)) AS gpu_hours,
    CASE
        WHEN h.basis IS NULL THEN 'price_basis_unknown'
        WHEN h.lacks_gpu_count THEN 'gpu_count_missing'
        WHEN h.lacks_hours THEN 'block_hours_missing'
        WHEN h.usd_per_unit IS NULL THEN 'fx_missing'
        WHEN h.record_kind = 'trade' AND coalesce(h.hours_sold, 0) <= 0 THEN 'quantity_not_positive'
        WHEN coalesce(h.native, 0) <= 0 THEN 'price_not_positive'
        WHEN
            try_cast(h.native AS DECIMAL(18, 9)) IS NULL
            OR try_cast(h.usd AS DECIMAL(18, 9)) IS NULL
            OR (h.record_kind = 'trade' AND try_cast(h.hours_sold AS DECIMAL(18, 6)) IS NULL)
            THEN 'price_out_of_range'
        WHEN
            try_cast(h.native AS DECIMAL(18, 9)) <= 0 OR try_cast(h.usd AS DECIMAL(18, 9)) <= 0
            THEN 'price_not_positive'
    END AS reason_code,
    CASE
        WHEN h.basis IS NULL THEN h.price_basis
        WHEN h.lacks_gpu_count OR h.lacks_hours THEN 'a price per ' || h.price_basis
        WHEN h.usd_per_unit IS NULL THEN 'no rate of ' || h.currency || ' was published by then'
        ELSE coalesce(CAST(h.native AS VARCHAR), 'no number') || ' ' || h.currency || ' per GPU-hour'
    END AS detail
FROM per_hour AS h

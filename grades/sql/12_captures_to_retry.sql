-- Grain: one capture with rows that waited for an exchange rate which has been recorded since.
-- Unit: rows that wait.
-- Inputs: rejections, stated_offers, stated_trades, fx_rates, normalisations, offers, trades.
-- Clause: specification 3 (the last rate published at the observation, whenever we came to record it).
WITH refused AS (
    SELECT
        r.record_id,
        r.capture_id,
        min(r.known_at) AS refused_at
    FROM rejections AS r
    INNER JOIN normalisations AS n
        ON r.capture_id = n.capture_id AND n.register_version = $register_version
    WHERE r.stage = 'normalise' AND r.reason_code = 'fx_missing'
    GROUP BY r.record_id, r.capture_id
),

waiting AS (
    SELECT
        x.record_id,
        x.capture_id,
        x.refused_at,
        coalesce(o.currency, t.currency) AS currency,
        coalesce(o.observed_at, t.traded_at, t.delivery_start) AS priced_at
    FROM refused AS x
    LEFT JOIN stated_offers AS o ON x.record_id = o.stated_id
    LEFT JOIN stated_trades AS t ON x.record_id = t.stated_id
    LEFT JOIN offers AS priced_offer
        ON x.record_id = priced_offer.stated_id AND priced_offer.register_version = $register_version
    LEFT JOIN trades AS priced_trade
        ON x.record_id = priced_trade.stated_id AND priced_trade.register_version = $register_version
    WHERE priced_offer.stated_id IS NULL AND priced_trade.stated_id IS NULL
)

SELECT
    w.capture_id,
    count(DISTINCT w.record_id) AS stated_rows
FROM waiting AS w
INNER JOIN fx_rates AS f
    ON w.currency = f.currency AND w.priced_at >= f.published_at AND w.refused_at <= f.known_at
WHERE f.known_at <= $now
GROUP BY w.capture_id
ORDER BY w.capture_id

-- Grain: a capture whose counts differ from the rows that name it.
-- Unit: rows.
-- Inputs: captures, stated_offers, stated_trades, fx_rates, throughputs, rejections of stage read.
-- Clause: DESIGN 1.2: one transaction holds a capture, its rows and its rejections.
WITH accepted AS (
    SELECT capture_id FROM stated_offers
    UNION ALL
    SELECT capture_id FROM stated_trades
    UNION ALL
    SELECT capture_id FROM fx_rates
    UNION ALL
    SELECT capture_id FROM throughputs
),

accepted_counts AS (
    SELECT
        capture_id,
        count(*) AS row_count
    FROM accepted
    GROUP BY capture_id
),

rejected_counts AS (
    SELECT
        capture_id,
        count(*) AS row_count
    FROM rejections
    WHERE stage = 'read'
    GROUP BY capture_id
)

SELECT
    c.capture_id,
    c.source_id,
    c.accepted_rows,
    coalesce(a.row_count, 0) AS found_accepted_rows,
    c.rejected_rows,
    coalesce(r.row_count, 0) AS found_rejected_rows
FROM captures AS c
LEFT JOIN accepted_counts AS a ON c.capture_id = a.capture_id
LEFT JOIN rejected_counts AS r ON c.capture_id = r.capture_id
WHERE
    c.accepted_rows <> coalesce(a.row_count, 0)
    OR c.rejected_rows <> coalesce(r.row_count, 0)
ORDER BY c.capture_id;

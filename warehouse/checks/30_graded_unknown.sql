-- Grain: a graded record whose offer, trade or grade is not there.
-- Unit: none.
-- Inputs: graded_offers, graded_trades, offers, trades, grades.
-- Clause: DESIGN 1.4: a record enters a grade that exists.
WITH graded AS (
    SELECT
        'graded_offers' AS table_name,
        g.offer_id AS record_id,
        g.grade_id,
        o.offer_id AS found_id
    FROM graded_offers AS g
    LEFT JOIN offers AS o ON g.offer_id = o.offer_id
    UNION ALL
    SELECT
        'graded_trades' AS table_name,
        g.trade_id AS record_id,
        g.grade_id,
        t.trade_id AS found_id
    FROM graded_trades AS g
    LEFT JOIN trades AS t ON g.trade_id = t.trade_id
),

known_grades AS (
    SELECT DISTINCT grade_id
    FROM grades
)

SELECT
    d.table_name,
    d.record_id,
    d.grade_id
FROM graded AS d
LEFT JOIN known_grades AS k ON d.grade_id = k.grade_id
WHERE d.found_id IS NULL OR k.grade_id IS NULL
ORDER BY d.table_name, d.record_id, d.grade_id;

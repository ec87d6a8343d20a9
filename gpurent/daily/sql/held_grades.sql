-- Grain: one grade whose value of a day and vintage is held.
-- Unit: none.
-- Inputs: reference_prices.
-- Clause: specification 11 (a large move of a settlement-eligible value is held).
SELECT r.grade_id
FROM reference_prices AS r
WHERE r.day = $day AND r.vintage = $vintage AND r.status = 'held'
ORDER BY r.grade_id

-- The newest day that has reference prices; nothing when there is none.
-- Grain: one row
-- Unit: none
-- Inputs: reference_prices
-- Clause: design 3 (vintage); research vintages do not count
SELECT max(day) AS day
FROM reference_prices
WHERE NOT starts_with(vintage, 'research-');

-- Grain: an edition that was recorded, by its path below the folder of editions.
-- Unit: none.
-- Inputs: editions.
-- Clause: DESIGN 8.
SELECT DISTINCT e.path
FROM editions AS e
ORDER BY e.path

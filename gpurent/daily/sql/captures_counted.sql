-- Grain: one row: how many captures there are.
-- Unit: captures.
-- Inputs: captures.
-- Clause: DESIGN 1.1 (the response is archived before anything parses it).
SELECT count(*) AS captures
FROM captures

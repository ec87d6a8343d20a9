-- What enters each specification.
-- Grain: specification, axis, value
-- Unit: none
-- Inputs: spec_accepts
-- Clause: grades.md 3.2
SELECT DISTINCT
    spec_id,
    axis,
    value
FROM spec_accepts
ORDER BY spec_id, axis, value;

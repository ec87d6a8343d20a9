-- Grain: one item that fits no grade, with why.
-- Unit: none.
-- Inputs: temporary axes_refusals (grades room).
-- Clause: DESIGN 1.4 (every offer ends graded or rejected; both carry why).
SELECT
    r.axes_key,
    r.reason_code,
    r.detail
FROM axes_refusals AS r
ORDER BY r.axes_key

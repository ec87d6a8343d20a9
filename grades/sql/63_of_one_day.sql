-- Grain: the matches and refusals of the one day, without its key.
-- Unit: none.
-- Inputs: matches_on_days, refusals_on_days.
-- Clause: design 1, step 4.
CREATE OR REPLACE TEMPORARY TABLE axes_matches AS
SELECT
    m.axes_key,
    m.grade_id,
    m.rule_id
FROM matches_on_days AS m;

CREATE OR REPLACE TEMPORARY TABLE axes_refusals AS
SELECT
    r.axes_key,
    r.reason_code,
    r.detail
FROM refusals_on_days AS r

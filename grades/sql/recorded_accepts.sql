-- Grain: one accepted value of one axis of a specification that the warehouse has.
-- Unit: none.
-- Inputs: spec_accepts.
-- Clause: grades 3.4: a specification's id stands for one version.
SELECT DISTINCT
    spec_id,
    axis,
    value
FROM spec_accepts

-- Grain: one register record that the warehouse has.
-- Unit: none.
-- Inputs: operators, grade_specs, spec_accepts, grades, operator_evidence, operator_tiers.
-- Clause: design 5, append and never update: a record whose content is there is not written again.
SELECT
    'operators' AS register,
    record_sha256
FROM operators
UNION
SELECT
    'grade_specs' AS register,
    record_sha256
FROM grade_specs
UNION
SELECT
    'spec_accepts' AS register,
    record_sha256
FROM spec_accepts
UNION
SELECT
    'grades' AS register,
    record_sha256
FROM grades
UNION
SELECT
    'operator_evidence' AS register,
    record_sha256
FROM operator_evidence
UNION
SELECT
    'operator_tiers' AS register,
    record_sha256
FROM operator_tiers

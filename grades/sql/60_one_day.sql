-- Grain: the one day that is matched, and its axes.
-- Unit: none.
-- Inputs: axes_to_match (axes_key, operator_id and the seven axes).
-- Clause: specification 3 (cut-off).
CREATE OR REPLACE TEMPORARY TABLE days_to_match AS
SELECT
    'day' AS day_key,
    CAST($day AS DATE) AS day,
    CAST($cutoff AS TIMESTAMPTZ) AS cutoff,
    CAST($is_reconstructed AS BOOLEAN) AS is_reconstructed;

CREATE OR REPLACE TEMPORARY TABLE axes_on_days AS
SELECT
    'day' AS day_key,
    a.axes_key,
    a.operator_id,
    a.chip,
    a.form_memory,
    a.lot,
    a.fabric,
    a.scope,
    a.term,
    a.place
FROM axes_to_match AS a

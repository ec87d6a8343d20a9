-- Grain: none; the one quantile macro, spelled per engine (elsewhere `percentile_disc(0.5)`).
-- Unit: that of its argument.
-- Inputs: none.
-- Clause: specification 2 (lower median of the captures of a day).
CREATE OR REPLACE TEMPORARY MACRO lower_median(x) AS quantile_disc(x, 0.5)

-- Grain: none: a batch of new captures has no row that was settled before.
-- Unit: none.
-- Inputs: none.
-- Clause: design 1, step 3: a new day does not read the history of offers.
CREATE OR REPLACE TEMPORARY TABLE settled_rows (stated_id VARCHAR)

-- The time that an item's captures of a day span at or below, and at or above, its price of that day: what a day needs
-- to confirm itself. Empty in rows of older versions.

ALTER TABLE items ADD COLUMN at_or_below_first_at TIMESTAMPTZ;
ALTER TABLE items ADD COLUMN at_or_below_last_at TIMESTAMPTZ;
ALTER TABLE items ADD COLUMN at_or_above_first_at TIMESTAMPTZ;
ALTER TABLE items ADD COLUMN at_or_above_last_at TIMESTAMPTZ;

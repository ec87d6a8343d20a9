-- All rows of a derived table of one day and vintage, to be appended again under another vintage's name.
-- Grain: as the table
-- Unit: as the table
-- Inputs: the table named $table
-- Clause: price.md 11
SELECT * -- noqa: AM04
FROM query_table($table)
WHERE day = $day AND vintage = $vintage;

-- What the register last said of every source.
-- Grain: one row a source. Inputs: sources. A record with another text, or a first live success, is a new row.
SELECT
    source_id,
    arg_max(record_sha256, known_at) AS record_sha256,
    min(first_live_success) AS first_live_success
FROM sources
GROUP BY source_id
ORDER BY source_id;

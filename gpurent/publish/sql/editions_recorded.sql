-- The publications this warehouse has recorded, in publication order.
-- Grain: edition
-- Unit: none
-- Inputs: editions
-- Clause: design 8
SELECT
    path,
    day,
    vintage,
    construction,
    vintage_reason AS reason,
    sequence_number,
    manifest_sha256,
    previous_sha256,
    content_sha256,
    inputs_sha256,
    methodology_version,
    signature,
    key_name,
    published_at
FROM editions
ORDER BY sequence_number, path;

-- Grain: an edition that does not follow the one before it.
-- Unit: none.
-- Inputs: editions.
-- Clause: DESIGN 8: each manifest names the one before it in order of publication.
WITH ordered AS (
    SELECT
        edition_id,
        day,
        vintage,
        sequence_number,
        previous_sha256,
        lag(manifest_sha256) OVER (ORDER BY sequence_number) AS expected_sha256,
        row_number() OVER (ORDER BY sequence_number) AS expected_number
    FROM editions
)

SELECT
    edition_id,
    day,
    vintage,
    sequence_number,
    expected_number,
    previous_sha256,
    expected_sha256
FROM ordered
WHERE
    sequence_number <> expected_number
    OR previous_sha256 IS DISTINCT FROM expected_sha256
ORDER BY sequence_number, edition_id;

-- Point in time: what had been recorded by an instant. Macros so that a bare connection can ask too.

CREATE MACRO offers_as_of(instant) AS TABLE
SELECT * FROM offers WHERE known_at <= instant;

CREATE MACRO operator_tiers_as_of(instant) AS TABLE
SELECT * FROM operator_tiers
WHERE known_at <= instant AND (superseded_at IS NULL OR superseded_at > instant);

CREATE MACRO reference_prices_as_of(instant) AS TABLE
SELECT * EXCLUDE (newest) FROM (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY day, grade_id ORDER BY published_at DESC, known_at DESC
        ) AS newest
    FROM reference_prices
    WHERE known_at <= instant
)
WHERE newest = 1;

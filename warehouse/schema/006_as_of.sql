-- Point in time: what had been recorded by an instant. Macros so that a bare connection can ask too.
-- They hand out whole rows of their table, whatever columns it has.

CREATE MACRO offers_as_of(instant) AS TABLE
    SELECT * -- noqa: AM04
    FROM offers
    WHERE known_at <= instant;

CREATE MACRO operator_tiers_as_of(instant) AS TABLE
    SELECT * -- noqa: AM04
    FROM operator_tiers
    WHERE known_at <= instant AND (superseded_at IS NULL OR superseded_at > instant);

CREATE MACRO reference_prices_as_of(instant) AS TABLE
    WITH recorded AS (
        SELECT
            *,
            row_number() OVER (
                PARTITION BY day, grade_id ORDER BY published_at DESC, known_at DESC
            ) AS newest
        FROM reference_prices
        WHERE known_at <= instant
    )

    SELECT * EXCLUDE (newest) -- noqa: AM04
    FROM recorded
    WHERE newest = 1;

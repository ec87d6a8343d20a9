-- Grain: one axes tuple on a day in one grade (matches_on_days); one tuple that is in none
-- (refusals_on_days).
-- Unit: none.
-- Inputs: days_to_match (day_key, day, cutoff, is_reconstructed), axes_on_days (day_key, axes_key,
-- operator_id and the seven axes), operators, operator_tiers, grade_specs, spec_accepts, grades.
-- Clause: grades 3.2: not stated enters only where a specification lists it; 3.5: a tier joins on operator
-- and scope and day, by equality. Specification 3: facts as known at the cut-off; specifications are
-- definitions, of which a reconstructed day takes the present one. A stated scope without a tier row is not
-- rated; a scope that is not stated has no tier at all.
CREATE OR REPLACE TEMPORARY TABLE specs_on_days AS
WITH newest_record AS (
    SELECT
        s.spec_id,
        s.code,
        s.status,
        s.valid_from,
        s.valid_to,
        row_number() OVER (PARTITION BY s.spec_id ORDER BY s.known_at DESC, s.record_sha256) AS newest
    FROM grade_specs AS s
),

in_force AS (
    SELECT
        d.day_key,
        r.spec_id,
        row_number() OVER (
            PARTITION BY d.day_key, r.code ORDER BY r.valid_from DESC, r.spec_id
        ) AS newest
    FROM days_to_match AS d
    CROSS JOIN newest_record AS r
    WHERE
        r.newest = 1
        AND r.status = 'active'
        AND (
            d.is_reconstructed
            OR (r.valid_from <= d.day AND (r.valid_to IS NULL OR r.valid_to > d.day))
        )
)

SELECT
    f.day_key,
    f.spec_id
FROM in_force AS f
WHERE f.newest = 1;

CREATE OR REPLACE TEMPORARY TABLE shapes AS
SELECT DISTINCT
    a.chip,
    a.form_memory,
    a.lot,
    a.fabric,
    a.scope,
    a.term,
    a.place
FROM axes_on_days AS a;

CREATE OR REPLACE TEMPORARY TABLE shape_specs AS
WITH accepts AS (
    SELECT DISTINCT
        x.spec_id,
        x.axis,
        x.value
    FROM spec_accepts AS x
)

SELECT
    s.chip,
    s.form_memory,
    s.lot,
    s.fabric,
    s.scope,
    s.term,
    s.place,
    c.spec_id
FROM shapes AS s
INNER JOIN accepts AS c ON c.axis = 'chip' AND s.chip = c.value
INNER JOIN accepts AS m ON c.spec_id = m.spec_id AND m.axis = 'form_memory' AND s.form_memory = m.value
INNER JOIN accepts AS l ON c.spec_id = l.spec_id AND l.axis = 'lot' AND s.lot = l.value
INNER JOIN accepts AS f ON c.spec_id = f.spec_id AND f.axis = 'fabric' AND s.fabric = f.value
INNER JOIN accepts AS p ON c.spec_id = p.spec_id AND p.axis = 'scope' AND s.scope = p.value
INNER JOIN accepts AS t ON c.spec_id = t.spec_id AND t.axis = 'term' AND s.term = t.value
INNER JOIN accepts AS q ON c.spec_id = q.spec_id AND q.axis = 'place' AND (s.place = q.value OR q.value = '*');

CREATE OR REPLACE TEMPORARY TABLE classes_on_days AS
WITH known AS (
    SELECT
        d.day_key,
        o.operator_id,
        o.operator_class,
        row_number() OVER (
            PARTITION BY d.day_key, o.operator_id ORDER BY o.valid_from DESC, o.known_at DESC, o.record_sha256
        ) AS newest
    FROM days_to_match AS d
    INNER JOIN operators AS o
        ON
            o.is_cited
            AND d.day >= o.valid_from
            AND (o.valid_to IS NULL OR d.day < o.valid_to)
            AND (
                (NOT d.is_reconstructed AND d.cutoff >= o.known_at)
                OR (d.is_reconstructed AND d.cutoff >= o.available_at)
            )
),

registered AS (
    SELECT DISTINCT o.operator_id
    FROM operators AS o
)

SELECT
    d.day_key,
    r.operator_id,
    coalesce(k.operator_class, 'UNK') AS operator_class
FROM days_to_match AS d
CROSS JOIN registered AS r
LEFT JOIN known AS k ON d.day_key = k.day_key AND r.operator_id = k.operator_id AND k.newest = 1;

CREATE OR REPLACE TEMPORARY TABLE tiers_on_days AS
WITH known AS (
    SELECT
        d.day_key,
        t.operator_id,
        t.scope,
        t.tier,
        row_number() OVER (
            PARTITION BY d.day_key, t.operator_id, t.scope
            ORDER BY t.valid_from DESC, t.known_at DESC, t.record_sha256
        ) AS newest
    FROM days_to_match AS d
    INNER JOIN operator_tiers AS t
        ON
            d.day >= t.valid_from
            AND (t.valid_to IS NULL OR d.day < t.valid_to)
            AND (t.superseded_at IS NULL OR d.cutoff < t.superseded_at)
            AND (
                (NOT d.is_reconstructed AND d.cutoff >= t.known_at)
                OR (d.is_reconstructed AND d.cutoff >= t.available_at)
            )
)

SELECT
    k.day_key,
    k.operator_id,
    k.scope,
    k.tier
FROM known AS k
WHERE k.newest = 1;

CREATE OR REPLACE TEMPORARY TABLE matches_on_days AS
WITH in_specs AS (
    SELECT
        a.day_key,
        a.axes_key,
        a.operator_id,
        a.scope,
        s.spec_id
    FROM axes_on_days AS a
    INNER JOIN shape_specs AS s
        ON
            a.chip = s.chip
            AND a.form_memory = s.form_memory
            AND a.lot = s.lot
            AND a.fabric = s.fabric
            AND a.scope = s.scope
            AND a.term = s.term
            AND a.place = s.place
    INNER JOIN specs_on_days AS v ON a.day_key = v.day_key AND s.spec_id = v.spec_id
),

told AS (
    SELECT
        i.day_key,
        i.axes_key,
        i.spec_id,
        c.operator_class,
        CASE WHEN i.scope NOT IN ('ZZ', 'MI') THEN coalesce(t.tier, 'NR') END AS tier
    FROM in_specs AS i
    INNER JOIN classes_on_days AS c ON i.day_key = c.day_key AND i.operator_id = c.operator_id
    LEFT JOIN tiers_on_days AS t
        ON i.day_key = t.day_key AND i.operator_id = t.operator_id AND i.scope = t.scope
),

all_grades AS (
    SELECT DISTINCT
        g.grade_id,
        g.spec_id,
        g.bucket
    FROM grades AS g
)

SELECT
    b.day_key,
    b.axes_key,
    g.grade_id,
    CASE
        WHEN g.bucket = 'ALL' THEN 'match.axes'
        WHEN g.bucket = b.operator_class THEN 'match.axes_and_class'
        ELSE 'match.axes_and_tier'
    END AS rule_id
FROM told AS b
INNER JOIN all_grades AS g
    ON
        b.spec_id = g.spec_id
        AND (
            g.bucket = 'ALL'
            OR b.operator_class = g.bucket
            OR b.tier = g.bucket
            OR (g.bucket = 'T12' AND b.tier IN ('T1', 'T2'))
        );

CREATE OR REPLACE TEMPORARY TABLE refusals_on_days AS
WITH matched AS (
    SELECT DISTINCT
        m.day_key,
        m.axes_key
    FROM matches_on_days AS m
),

registered AS (
    SELECT DISTINCT o.operator_id
    FROM operators AS o
),

accepts AS (
    SELECT
        x.spec_id,
        max(CASE WHEN x.axis = 'chip' THEN 1 ELSE 0 END) AS is_listed
    FROM spec_accepts AS x
    GROUP BY x.spec_id
),

for_chip AS (
    SELECT DISTINCT c.value AS chip
    FROM spec_accepts AS c
    INNER JOIN accepts AS l ON c.spec_id = l.spec_id
    WHERE c.axis = 'chip'
),

for_memory AS (
    SELECT DISTINCT
        c.value AS chip,
        m.value AS form_memory
    FROM spec_accepts AS c
    INNER JOIN spec_accepts AS m ON c.spec_id = m.spec_id AND m.axis = 'form_memory'
    WHERE c.axis = 'chip'
)

SELECT
    a.day_key,
    a.axes_key,
    CASE
        WHEN o.operator_id IS NULL THEN 'operator_not_registered'
        WHEN a.chip = 'ZZ' THEN 'chip_not_stated'
        WHEN a.scope = 'MI' THEN 'serverless_inference'
        WHEN c.chip IS NULL THEN 'no_grade_for_chip'
        WHEN substr(a.form_memory, 2) = '000' THEN 'memory_not_stated'
        WHEN f.form_memory IS NULL THEN 'no_grade_for_memory'
        WHEN a.term = 'ZZ' THEN 'term_not_stated'
        ELSE 'no_grade'
    END AS reason_code,
    a.operator_id
    || ': ' || a.chip
    || ' ' || a.form_memory
    || ' ' || a.lot
    || ' ' || a.fabric
    || ' ' || a.scope
    || ' ' || a.term
    || ' ' || a.place AS detail
FROM axes_on_days AS a
LEFT JOIN matched AS m ON a.day_key = m.day_key AND a.axes_key = m.axes_key
LEFT JOIN registered AS o ON a.operator_id = o.operator_id
LEFT JOIN for_chip AS c ON a.chip = c.chip
LEFT JOIN for_memory AS f ON a.chip = f.chip AND a.form_memory = f.form_memory
WHERE m.axes_key IS NULL

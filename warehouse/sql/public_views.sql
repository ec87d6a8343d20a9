-- Grain: as the table of the same name without `public_`.
-- Unit: as there.
-- Inputs: the tables themselves; nothing is bound.
-- Clause: specification 12; DESIGN 5 (rights). A row of a source without leave to redistribute is
-- not shown; its price counts in aggregates and appears as a numbered voice. Of trades reported in
-- confidence nothing is shown, and what a cell says of its traded leg is left out with them: the
-- released form of such a leg (a trimmed mean of seller means, under the release rule) is not
-- computed by this version. Columns are listed wherever rows are changed, so that a new column
-- never becomes public by accident; rows kept whole are cut to the dictionary's public columns by
-- who reads them.

CREATE OR REPLACE TEMP VIEW shown_sources AS
WITH numbered AS (
    SELECT
        source_id,
        redistribution,
        row_number() OVER (PARTITION BY source_id ORDER BY known_at DESC, record_sha256 ASC) AS newest
    FROM sources
)

SELECT source_id
FROM numbered
WHERE newest = 1 AND redistribution = 'allowed';

-- rows of single offers are shown for ninety days
CREATE OR REPLACE TEMP VIEW shown_since AS
SELECT max(snapshot_day) - 89 AS day
FROM offers;

CREATE OR REPLACE TEMP VIEW grade_names AS
WITH numbered AS (
    SELECT
        grade_id,
        code,
        bucket,
        title,
        row_number() OVER (
            PARTITION BY grade_id ORDER BY valid_from DESC, known_at DESC, record_sha256 ASC
        ) AS newest
    FROM grades
)

SELECT
    grade_id,
    code || '.' || bucket AS grade_code,
    title AS grade_title
FROM numbered
WHERE newest = 1;

-- Numbers follow the prices that are shown beside them, so they tell nothing more; they hold for
-- one day only.
CREATE OR REPLACE TEMP VIEW numbered_voices AS
WITH hidden AS (
    SELECT
        day,
        grade_id,
        vintage,
        owner_group,
        min(usd_per_gpu_hour) AS usd_per_gpu_hour,
        min(weight) AS weight
    FROM voices
    WHERE leg = 'advertised' AND NOT is_public
    GROUP BY day, grade_id, vintage, owner_group
)

SELECT
    day,
    grade_id,
    vintage,
    owner_group,
    'voice-' || row_number() OVER (
        PARTITION BY day, grade_id, vintage
        ORDER BY usd_per_gpu_hour ASC NULLS LAST, weight ASC NULLS LAST, owner_group ASC
    ) AS alias
FROM hidden;

CREATE OR REPLACE TEMP VIEW confidential_cells AS
SELECT
    day,
    grade_id,
    vintage
FROM voices
WHERE leg = 'traded' AND NOT is_public
GROUP BY day, grade_id, vintage;

CREATE OR REPLACE TEMP VIEW public_captures AS
SELECT c.* -- noqa: AM04
FROM captures AS c
INNER JOIN shown_sources AS s ON c.source_id = s.source_id;

CREATE OR REPLACE TEMP VIEW public_offers AS
SELECT o.* -- noqa: AM04
FROM offers AS o
INNER JOIN shown_sources AS s ON o.source_id = s.source_id
INNER JOIN shown_since AS since ON o.snapshot_day >= since.day;

CREATE OR REPLACE TEMP VIEW public_stated_offers AS
SELECT t.* -- noqa: AM04
FROM stated_offers AS t
INNER JOIN public_offers AS o ON t.stated_id = o.stated_id
WHERE
    -- an offer is made anew under each version of the registers; the stated row is one
    NOT EXISTS (
        SELECT 1
        FROM public_offers AS other
        WHERE other.stated_id = o.stated_id AND other.offer_id < o.offer_id
    );

CREATE OR REPLACE TEMP VIEW public_graded_offers AS
SELECT g.* -- noqa: AM04
FROM graded_offers AS g
INNER JOIN public_offers AS o ON g.offer_id = o.offer_id;

CREATE OR REPLACE TEMP VIEW public_rejections AS
SELECT r.* -- noqa: AM04
FROM rejections AS r
INNER JOIN shown_sources AS s ON r.source_id = s.source_id;

CREATE OR REPLACE TEMP VIEW public_throughputs AS
SELECT t.* -- noqa: AM04
FROM throughputs AS t
INNER JOIN shown_sources AS s ON t.source_id = s.source_id;

-- The weight of an item is left out where its group's voice is numbered: it would lead from the one
-- to the other.
CREATE OR REPLACE TEMP VIEW public_items AS
SELECT i.* REPLACE (CASE WHEN n.alias IS NULL THEN i.weight END AS weight) -- noqa: AM04
FROM items AS i
INNER JOIN shown_sources AS s ON i.route = s.source_id
LEFT JOIN numbered_voices AS n
    ON
        i.day = n.day
        AND i.grade_id = n.grade_id
        AND i.vintage = n.vintage
        AND i.owner_group = n.owner_group
LEFT JOIN confidential_cells AS c
    ON
        i.day = c.day
        AND i.grade_id = c.grade_id
        AND i.vintage = c.vintage
WHERE
    (i.leg = 'advertised' OR c.day IS NULL)
    -- that an owner's own offer was seen instead would name the numbered voice
    AND NOT (n.alias IS NOT NULL AND coalesce(i.reason_code, '') = 'own_offer_seen');

CREATE OR REPLACE TEMP VIEW public_voices AS
SELECT
    v.day,
    v.grade_id,
    g.grade_code,
    v.vintage,
    v.leg,
    coalesce(n.alias, v.owner_group) AS owner_group,
    v.usd_per_gpu_hour,
    v.state,
    v.reason_code,
    v.weight,
    v.weight_before_caps,
    v.verified_age_days,
    v.item_count,
    v.is_firm,
    CASE WHEN n.alias IS NULL THEN v.routes ELSE '' END AS routes,
    v.previous_usd_per_gpu_hour,
    v.previous_day,
    v.matched_weight,
    v.matched_usd_per_gpu_hour,
    v.gpu_hours,
    v.is_public,
    v.known_at
FROM voices AS v
LEFT JOIN numbered_voices AS n
    ON
        v.day = n.day
        AND v.grade_id = n.grade_id
        AND v.vintage = n.vintage
        AND v.owner_group = n.owner_group
LEFT JOIN grade_names AS g ON v.grade_id = g.grade_id
WHERE v.is_public OR v.leg = 'advertised';

CREATE OR REPLACE TEMP VIEW public_contributions AS
SELECT
    c.day,
    c.grade_id,
    g.grade_code,
    c.vintage,
    c.leg,
    coalesce(n.alias, c.owner_group) AS owner_group,
    c.weight,
    c.price_contribution_log,
    c.leave_one_out,
    c.is_public,
    c.known_at
FROM contributions AS c
LEFT JOIN numbered_voices AS n
    ON
        c.day = n.day
        AND c.grade_id = n.grade_id
        AND c.vintage = n.vintage
        AND c.owner_group = n.owner_group
LEFT JOIN grade_names AS g ON c.grade_id = g.grade_id
WHERE c.is_public OR c.leg = 'advertised';

-- Every refusal is shown with its rule. What it names, it names only where the offer's source may
-- be shown.
CREATE OR REPLACE TEMP VIEW public_exclusions AS
WITH judged AS (
    SELECT
        e.day,
        e.grade_id,
        g.grade_code,
        e.vintage,
        e.record_id,
        e.owner_group,
        e.leg,
        e.rule_id,
        e.reason_code,
        e.detail,
        e.known_at,
        n.alias,
        s.source_id IS NOT NULL AND n.alias IS NULL AS is_named
    FROM exclusions AS e
    LEFT JOIN offers AS o ON e.record_id = o.offer_id
    LEFT JOIN shown_sources AS s ON o.source_id = s.source_id
    LEFT JOIN numbered_voices AS n
        ON
            e.day = n.day
            AND e.grade_id = n.grade_id
            AND e.vintage = n.vintage
            AND e.owner_group = n.owner_group
    LEFT JOIN grade_names AS g ON e.grade_id = g.grade_id
)

SELECT
    day,
    grade_id,
    grade_code,
    vintage,
    CASE WHEN is_named THEN record_id ELSE '' END AS record_id,
    CASE WHEN is_named THEN owner_group ELSE coalesce(alias, '') END AS owner_group,
    leg,
    rule_id,
    reason_code,
    CASE WHEN is_named THEN detail ELSE '' END AS detail,
    known_at
FROM judged;

CREATE OR REPLACE TEMP VIEW public_attributions AS
SELECT
    a.day,
    a.grade_id,
    g.grade_code,
    a.vintage,
    a.price,
    a.fx,
    a.entry,
    a.exit,
    a.mix,
    a.regrade,
    a.traded,
    a.method,
    a.carry_over,
    a.total,
    a.known_at
FROM attributions AS a
LEFT JOIN grade_names AS g ON a.grade_id = g.grade_id;

CREATE OR REPLACE TEMP VIEW public_discounts AS
SELECT
    d.day,
    d.grade_id,
    d.vintage,
    d.estimate_log,
    d.standard_error,
    d.pair_count,
    d.seller_count,
    d.pool,
    d.reason_code,
    d.valid_from,
    d.valid_to,
    d.known_at
FROM discounts AS d
LEFT JOIN confidential_cells AS c
    ON
        d.day = c.day
        AND d.grade_id = c.grade_id
        AND d.vintage = c.vintage
WHERE c.day IS NULL;

CREATE OR REPLACE TEMP VIEW public_reference_prices AS
WITH judged AS (
    SELECT
        p.*,
        g.grade_code,
        g.grade_title,
        c.day IS NOT NULL AS hides_trades,
        c.day IS NOT NULL AND coalesce(p.trade_weight, 0) > 0 AS hides_price
    FROM reference_prices AS p
    LEFT JOIN confidential_cells AS c
        ON
            p.day = c.day
            AND p.grade_id = c.grade_id
            AND p.vintage = c.vintage
    LEFT JOIN grade_names AS g ON p.grade_id = g.grade_id
)

SELECT
    day,
    grade_id,
    grade_code,
    grade_title,
    vintage,
    construction,
    CASE WHEN hides_price THEN 'withheld' ELSE status END AS status,
    CASE WHEN hides_price THEN 'confidential_trades' ELSE reason_code END AS reason_code,
    CASE WHEN hides_price THEN 6 ELSE level END AS level,
    CASE WHEN hides_price THEN 6 WHEN hides_trades THEN level ELSE reached_level END AS reached_level,
    CASE WHEN hides_price THEN 'withheld' ELSE label END AS label,
    CASE WHEN NOT hides_price THEN letter END AS letter,
    basis,
    CASE
        WHEN hides_trades THEN concat_ws(',', nullif(flags, ''), 'trades_confidential') ELSE flags
    END AS flags,
    not_computed,
    settlement_eligible AND NOT hides_price AS settlement_eligible,
    CASE WHEN NOT hides_price THEN reference_usd_per_gpu_hour END AS reference_usd_per_gpu_hour,
    CASE WHEN NOT hides_price THEN reference_log END AS reference_log,
    CASE WHEN NOT hides_price THEN cross_section_usd_per_gpu_hour END AS cross_section_usd_per_gpu_hour,
    CASE WHEN NOT hides_price THEN cross_section_log END AS cross_section_log,
    CASE WHEN NOT hides_price THEN index_value END AS index_value,
    CASE WHEN NOT hides_price THEN index_log END AS index_log,
    CASE WHEN NOT hides_price THEN matched_change_log END AS matched_change_log,
    advertised_usd_per_gpu_hour,
    advertised_log,
    CASE WHEN NOT hides_trades THEN traded_usd_per_gpu_hour END AS traded_usd_per_gpu_hour,
    CASE WHEN NOT hides_trades THEN traded_log END AS traded_log,
    CASE WHEN NOT hides_trades THEN trade_weight END AS trade_weight,
    CASE WHEN NOT hides_trades THEN discount_log END AS discount_log,
    CASE WHEN NOT hides_trades THEN discount_se END AS discount_se,
    CASE WHEN NOT hides_price THEN catch_up_log END AS catch_up_log,
    seller_quote_usd_per_gpu_hour,
    owner_group_count,
    fresh_group_count,
    firm_count,
    offer_count,
    CASE WHEN NOT hides_trades THEN trade_count END AS trade_count,
    CASE WHEN NOT hides_trades THEN gpu_hours END AS gpu_hours,
    CASE WHEN NOT hides_trades THEN trade_window_days END AS trade_window_days,
    CASE WHEN NOT hides_price THEN level_ci_low END AS level_ci_low,
    CASE WHEN NOT hides_price THEN level_ci_high END AS level_ci_high,
    CASE WHEN NOT hides_price THEN change_20d_log END AS change_20d_log,
    CASE WHEN NOT hides_price THEN change_20d_half_width END AS change_20d_half_width,
    CASE WHEN NOT hides_price THEN max_leave_one_out END AS max_leave_one_out,
    CASE WHEN NOT hides_price THEN p25 END AS p25,
    CASE WHEN NOT hides_price THEN p75 END AS p75,
    effective_n,
    top_share,
    top5_share,
    route_effective_n,
    top_route_share,
    owner_cap,
    CASE WHEN NOT hides_trades THEN buyer_cap END AS buyer_cap,
    share_excluded,
    share_excluded_json,
    prices_changed_20d,
    matched_groups,
    repeat_capture_noise,
    CASE WHEN NOT hides_trades THEN cost_of_one_percent_usd END AS cost_of_one_percent_usd,
    groups_to_move_one_percent,
    last_published_day,
    series_started_on,
    methodology_version,
    register_version,
    known_at,
    published_at
FROM judged;

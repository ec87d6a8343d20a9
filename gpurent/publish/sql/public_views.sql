-- What may be shown of the derived tables. A price whose source does not allow redistribution appears as a
-- numbered voice. Traded rows of confidential reporters do not appear at all, and what a cell says of its
-- traded leg is left out with them: the released form of such a leg (a trimmed mean of seller means, under
-- the release rule) is not computed by this version. Columns are listed, so that a new private column never
-- becomes public by accident.
-- Grain: as the table of the same name without `public_`
-- Unit: as there: USD per GPU-hour, natural logs, shares
-- Inputs: grades, voices, contributions, exclusions, attributions, reference_prices, trades
-- Clause: price.md 12

CREATE OR REPLACE TEMP VIEW grade_names AS
SELECT
    grade_id,
    code || '.' || bucket AS grade_code,
    title AS grade_title
FROM (
    SELECT
        grade_id,
        code,
        bucket,
        title,
        row_number() OVER (PARTITION BY grade_id ORDER BY valid_from DESC, known_at DESC) AS newest
    FROM grades
) AS numbered
WHERE newest = 1;

CREATE OR REPLACE TEMP VIEW numbered_voices AS
SELECT
    hidden.day,
    hidden.grade_id,
    hidden.vintage,
    hidden.owner_group,
    'voice-' || row_number() OVER (
        PARTITION BY hidden.day, hidden.grade_id, hidden.vintage
        ORDER BY hidden.usd_per_gpu_hour NULLS LAST, hidden.weight NULLS LAST, hidden.owner_group
    ) AS alias
FROM (
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
) AS hidden;

CREATE OR REPLACE TEMP VIEW confidential_cells AS
SELECT
    day,
    grade_id,
    vintage
FROM voices
WHERE leg = 'traded' AND NOT is_public
GROUP BY day, grade_id, vintage;

CREATE OR REPLACE TEMP VIEW public_reference_prices AS
WITH judged AS (
    SELECT
        price.*,
        named.grade_code,
        named.grade_title,
        cell.day IS NOT NULL AS hides_trades,
        cell.day IS NOT NULL AND coalesce(price.trade_weight, 0) > 0 AS hides_price
    FROM reference_prices AS price
    LEFT JOIN confidential_cells AS cell
        ON
            price.day = cell.day
            AND price.grade_id = cell.grade_id
            AND price.vintage = cell.vintage
    LEFT JOIN grade_names AS named
        ON price.grade_id = named.grade_id
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
    firm_count,
    offer_count,
    CASE WHEN NOT hides_trades THEN trade_count END AS trade_count,
    CASE WHEN NOT hides_trades THEN gpu_hours END AS gpu_hours,
    CASE WHEN NOT hides_price THEN level_ci_low END AS level_ci_low,
    CASE WHEN NOT hides_price THEN level_ci_high END AS level_ci_high,
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
    methodology_version,
    register_version,
    known_at,
    published_at
FROM judged;

CREATE OR REPLACE TEMP VIEW public_voices AS
SELECT
    voice.day,
    voice.grade_id,
    named.grade_code,
    voice.vintage,
    voice.leg,
    coalesce(numbered.alias, voice.owner_group) AS owner_group,
    voice.usd_per_gpu_hour,
    voice.state,
    voice.reason_code,
    voice.weight,
    voice.weight_before_caps,
    voice.verified_age_days,
    voice.item_count,
    voice.is_firm,
    CASE WHEN voice.is_public THEN voice.routes ELSE '' END AS routes,
    voice.previous_usd_per_gpu_hour,
    voice.previous_day,
    voice.matched_weight,
    voice.gpu_hours,
    voice.is_public
FROM voices AS voice
LEFT JOIN numbered_voices AS numbered
    ON
        voice.day = numbered.day
        AND voice.grade_id = numbered.grade_id
        AND voice.vintage = numbered.vintage
        AND voice.owner_group = numbered.owner_group
LEFT JOIN grade_names AS named
    ON voice.grade_id = named.grade_id
WHERE voice.is_public OR voice.leg = 'advertised';

CREATE OR REPLACE TEMP VIEW public_contributions AS
SELECT
    part.day,
    part.grade_id,
    named.grade_code,
    part.vintage,
    part.leg,
    coalesce(numbered.alias, part.owner_group) AS owner_group,
    part.weight,
    part.price_contribution_log,
    part.leave_one_out,
    part.is_public
FROM contributions AS part
LEFT JOIN numbered_voices AS numbered
    ON
        part.day = numbered.day
        AND part.grade_id = numbered.grade_id
        AND part.vintage = numbered.vintage
        AND part.owner_group = numbered.owner_group
LEFT JOIN grade_names AS named
    ON part.grade_id = named.grade_id
WHERE part.is_public OR part.leg = 'advertised';

CREATE OR REPLACE TEMP VIEW public_exclusions AS
WITH judged AS (
    SELECT
        refused.day,
        refused.grade_id,
        named.grade_code,
        refused.vintage,
        refused.record_id,
        refused.owner_group,
        refused.leg,
        refused.rule_id,
        refused.reason_code,
        refused.detail,
        numbered.alias,
        coalesce(trade.is_confidential, FALSE) AS is_confidential_trade
    FROM exclusions AS refused
    LEFT JOIN numbered_voices AS numbered
        ON
            refused.day = numbered.day
            AND refused.grade_id = numbered.grade_id
            AND refused.vintage = numbered.vintage
            AND refused.owner_group = numbered.owner_group
    LEFT JOIN trades AS trade
        ON refused.record_id = trade.trade_id
    LEFT JOIN grade_names AS named
        ON refused.grade_id = named.grade_id
)

SELECT
    day,
    grade_id,
    grade_code,
    vintage,
    CASE
        WHEN is_confidential_trade THEN 'confidential' ELSE coalesce(alias, record_id)
    END AS record_id,
    CASE
        WHEN is_confidential_trade THEN 'confidential' ELSE coalesce(alias, owner_group)
    END AS owner_group,
    leg,
    rule_id,
    reason_code,
    CASE WHEN is_confidential_trade OR alias IS NOT NULL THEN '' ELSE detail END AS detail
FROM judged;

CREATE OR REPLACE TEMP VIEW public_attributions AS
SELECT
    moved.day,
    moved.grade_id,
    named.grade_code,
    moved.vintage,
    moved.price,
    moved.fx,
    moved.entry,
    moved.exit,
    moved.mix,
    moved.regrade,
    moved.traded,
    moved.method,
    moved.carry_over,
    moved.total
FROM attributions AS moved
LEFT JOIN grade_names AS named
    ON moved.grade_id = named.grade_id;

-- Every grade's days as the site shows them: the vintage that counts, live before reconstructed, newest first.
-- Grain: grade, day
-- Unit: USD per GPU-hour; logs; shares
-- Inputs: public_reference_prices
-- Clause: price.md 8 and 12; design 3 (vintage); research vintages are never shown
WITH numbered AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY day, grade_id
            ORDER BY construction ASC, published_at DESC, known_at DESC, vintage DESC
        ) AS newest
    FROM public_reference_prices
    WHERE NOT starts_with(vintage, 'research-') AND day <= $day
)

SELECT
    day,
    grade_id,
    grade_code,
    grade_title,
    vintage,
    construction,
    status,
    reason_code,
    level,
    reached_level,
    label,
    letter,
    basis,
    flags,
    not_computed,
    settlement_eligible,
    reference_usd_per_gpu_hour,
    reference_log,
    cross_section_usd_per_gpu_hour,
    cross_section_log,
    advertised_usd_per_gpu_hour,
    traded_usd_per_gpu_hour,
    trade_weight,
    discount_log,
    discount_se,
    index_value,
    matched_change_log,
    catch_up_log,
    level_ci_low,
    level_ci_high,
    change_20d_log,
    change_20d_half_width,
    max_leave_one_out,
    p25,
    p75,
    seller_quote_usd_per_gpu_hour,
    owner_group_count,
    fresh_group_count,
    firm_count,
    offer_count,
    trade_count,
    gpu_hours,
    trade_window_days,
    matched_groups,
    effective_n,
    top_share,
    route_effective_n,
    top_route_share,
    share_excluded,
    prices_changed_20d,
    last_published_day,
    methodology_version,
    published_at
FROM numbered
WHERE newest = 1
ORDER BY grade_code NULLS LAST, grade_id, day;

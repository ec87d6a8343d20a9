-- Grain: a graded offer of a live day that was recorded after the day's cut-off.
-- Unit: none.
-- Inputs: reference_prices, items, offers.
-- Clause: specification 3: live values use what was known by D+1 06:00.
SELECT
    i.day,
    i.grade_id,
    i.vintage,
    i.offer_id,
    o.known_at
FROM items AS i
INNER JOIN reference_prices AS p
    ON
        i.day = p.day
        AND i.grade_id = p.grade_id
        AND i.vintage = p.vintage
INNER JOIN offers AS o ON i.offer_id = o.offer_id
WHERE
    p.construction = 'live'
    AND o.known_at > (cast(i.day AS TIMESTAMP) + INTERVAL 30 HOUR) AT TIME ZONE 'UTC'
ORDER BY i.day, i.grade_id, i.vintage, i.offer_id;

-- name: prices
-- ?1 campaign bigint
-- The highest and the lowest price seen on the campaign's account for each number of segments.
SELECT segments, max(cost) AS highest, min(cost) AS lowest
FROM price WHERE account = (SELECT account FROM campaign WHERE n = ?1)
GROUP BY segments;

-- name: kinds
-- ?1 campaign bigint
SELECT state, delivery, conflict, written_off AS "writtenOff", retry_helps AS "retryHelps", reason, network, segments, unknown,
  messages, cost
FROM campaign_count WHERE campaign = ?1 AND messages <> 0;

-- name: times
-- ?1 campaign bigint, ?2 recent_ms bigint
-- When the first and the last message that counts as sent left, how many did in the last so many milliseconds until then,
-- and when the last one left or was settled without.
SELECT t.first, t.last, t."lastLeft", (
    SELECT coalesce(sum(messages), 0) FROM campaign_time
    WHERE campaign = ?1 AND unit = 1000 AND at > t.last - t.last % 1000 - ?2 AND what = 'sent'
  ) AS recent
FROM (SELECT
  (SELECT first_at FROM campaign_time WHERE campaign = ?1 AND unit = 1000 AND what = 'sent' AND messages > 0 ORDER BY at LIMIT 1) AS first,
  (SELECT last_at FROM campaign_time WHERE campaign = ?1 AND unit = 1000 AND what = 'sent' AND messages > 0 ORDER BY at DESC LIMIT 1) AS last,
  (SELECT max(last_at) FROM campaign_time WHERE campaign = ?1 AND unit = 1000 AND what <> 'pending' AND messages > 0 AND at = (
    SELECT at FROM campaign_time WHERE campaign = ?1 AND unit = 1000 AND what <> 'pending' AND messages > 0 ORDER BY at DESC LIMIT 1
  )) AS "lastLeft"
) AS t;

-- name: pending_before
-- ?1 campaign bigint, ?2 minute bigint, ?3 before bigint
-- Whole minutes, and the seconds of the minute in which the time lies.
SELECT coalesce(sum(messages), 0) AS messages FROM (
  SELECT messages FROM campaign_time WHERE campaign = ?1 AND unit = 60000 AND at < ?2 AND what = 'pending'
  UNION ALL
  SELECT messages FROM campaign_time
  WHERE campaign = ?1 AND unit = 1000 AND at >= ?2 AND at < ?3 AND what = 'pending' AND last_at < ?3
) AS counted;

-- name: page
-- ?1 states text: a JSON array, or null for all, ?2 a pattern of names text, or null for all, ?3 cursor bigint, or null for the first page, ?4 limit bigint
SELECT n FROM (
  SELECT n, CASE
    WHEN state = 'canceled' OR n IN (SELECT campaign FROM applying)
      OR EXISTS (SELECT 1 FROM campaign_count AS k WHERE k.campaign = n AND k.state IN ('queued', 'sending') AND k.messages > 0)
    THEN state ELSE 'finished'
  END AS shown
  FROM campaign
  WHERE state <> 'draft' AND (?3 IS NULL OR n < ?3) AND (?2 IS NULL OR lower(name) LIKE lower(?2) ESCAPE '\')
) AS listed
WHERE ?1 IS NULL OR shown IN (SELECT value FROM json_each(?1))
ORDER BY n DESC
LIMIT ?4;

-- name: prices
-- ?1 campaign bigint
-- The highest and the lowest price seen on the campaign's account for each number of segments.
SELECT segments, max(cost) AS highest, min(cost) AS lowest
FROM price WHERE account = (SELECT account FROM campaign WHERE n = ?1)
GROUP BY segments;

-- name: series
-- ?1 campaign bigint, ?2 from bigint, ?3 to bigint, ?4 step_ms bigint
SELECT at - at % ?4 AS at, what, sum(messages) AS messages FROM campaign_time
WHERE campaign = ?1 AND unit = 60000 AND at >= ?2 AND at < ?3 AND what <> 'pending'
GROUP BY 1, 2
HAVING sum(messages) <> 0
ORDER BY 1;

-- name: latencies
-- ?1 campaign bigint
SELECT what, bucket, messages FROM campaign_latency WHERE campaign = ?1 AND messages > 0 ORDER BY what, bucket;

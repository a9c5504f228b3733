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

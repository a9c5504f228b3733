-- name: stored_kinds
-- ?1 campaign bigint
SELECT state || ' ' || delivery || ' ' || conflict || written_off || retry_helps || ' ' || segments || ' ' || unknown || ' ' || network
  || ' ' || reason AS key, messages, cost
FROM campaign_count WHERE campaign = ?1 AND (messages <> 0 OR cost <> 0);

-- name: stored_times
-- ?1 campaign bigint
SELECT unit || ' ' || at || ' ' || what AS key, messages, 0 AS cost FROM campaign_time WHERE campaign = ?1 AND messages <> 0;

-- name: stored_latencies
-- ?1 campaign bigint
SELECT what || ' ' || bucket AS key, messages, 0 AS cost FROM campaign_latency WHERE campaign = ?1 AND messages <> 0;

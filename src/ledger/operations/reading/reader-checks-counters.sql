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

-- name: add_up
-- ?1 campaign bigint
-- In the order of COUNTED_COLUMNS.
SELECT add_message(
  state, delivery, delivery_reason, conflict, written_off, retry_helps, reason, network, segments, cost, counted, actor, lost,
  claimed_at, settled_at, reported_at, send_ms)
FROM message WHERE campaign = ?1;

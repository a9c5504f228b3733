-- name: count
-- ?1 campaign bigint, ?2 state text, ?3 delivery text, ?4 conflict bigint, ?5 written_off bigint, ?6 retry_helps bigint, ?7 reason text, ?8 network text, ?9 segments bigint,
-- ?10 unknown bigint, ?11 messages bigint, ?12 cost bigint
INSERT INTO campaign_count
  (campaign, state, delivery, conflict, written_off, retry_helps, reason, network, segments, unknown, messages, cost)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
ON CONFLICT (campaign, state, delivery, conflict, written_off, retry_helps, reason, network, segments, unknown)
DO UPDATE SET messages = campaign_count.messages + excluded.messages, cost = campaign_count.cost + excluded.cost;

-- name: count_time
-- ?1 campaign bigint, ?2 unit bigint, ?3 at bigint, ?4 what text, ?5 messages bigint, ?6 first_at bigint, ?7 last_at bigint
INSERT INTO campaign_time (campaign, unit, at, what, messages, first_at, last_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
-- A second that was empty begins anew. Messages that only leave it have no times.
ON CONFLICT (campaign, unit, at, what) DO UPDATE SET messages = campaign_time.messages + excluded.messages,
  first_at = CASE WHEN campaign_time.messages = 0 OR excluded.first_at < campaign_time.first_at THEN excluded.first_at
    ELSE campaign_time.first_at END,
  last_at = CASE WHEN campaign_time.messages = 0 OR excluded.last_at > campaign_time.last_at THEN excluded.last_at
    ELSE campaign_time.last_at END;

-- name: count_latency
-- ?1 campaign bigint, ?2 what text, ?3 bucket bigint, ?4 messages bigint
INSERT INTO campaign_latency (campaign, what, bucket, messages) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (campaign, what, bucket) DO UPDATE SET messages = campaign_latency.messages + excluded.messages;

-- name: forget_counts
-- ?1 campaign bigint
DELETE FROM campaign_count WHERE campaign = ?1;

-- name: forget_times
-- ?1 campaign bigint
DELETE FROM campaign_time WHERE campaign = ?1;

-- name: forget_latencies
-- ?1 campaign bigint
DELETE FROM campaign_latency WHERE campaign = ?1;

-- name: one
-- ?1 campaign bigint, ?2 seq bigint
-- In the order of countedMessage (message-sums.ts).
SELECT state, delivery, delivery_reason, conflict, written_off, retry_helps, reason, network, segments, cost, counted, actor, lost,
  claimed_at, settled_at, reported_at, send_ms
FROM message WHERE campaign = ?1 AND seq = ?2;

-- name: page
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 limit bigint
SELECT state, delivery, delivery_reason, conflict, written_off, retry_helps, reason, network, segments, cost, counted, actor, lost,
  claimed_at, settled_at, reported_at, send_ms, seq
FROM message WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3
ORDER BY seq
LIMIT ?4;

-- name: messages
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 limit
SELECT seq, line, mobile, key, occurrence, fields, state, delivery, coalesce(delivery_reason, reason) AS reason,
  messageid AS messageId, network, segments, cost AS costMicro, attempt AS attempts, queued_at AS queuedAt,
  settled_at AS settledAt, CASE WHEN state = 'sent' THEN left_at END AS sentAt, reported_at AS reportedAt
FROM message_left
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3
ORDER BY seq
LIMIT ?4;

-- name: messages_in
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 limit, ?5 states
-- states: a JSON array.
SELECT seq, line, mobile, key, occurrence, fields, state, delivery, coalesce(delivery_reason, reason) AS reason,
  messageid AS messageId, network, segments, cost AS costMicro, attempt AS attempts, queued_at AS queuedAt,
  settled_at AS settledAt, CASE WHEN state = 'sent' THEN left_at END AS sentAt, reported_at AS reportedAt
FROM message_left
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state IN (SELECT value FROM json_each(?5))
ORDER BY seq
LIMIT ?4;

-- name: batches
-- ?1 campaign, ?2 first_seq, ?3 last_seq
SELECT id, last_seq FROM batch
WHERE campaign = ?1 AND last_seq >= ?2 AND first_seq <= ?3
ORDER BY first_seq;

-- name: messages
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 limit, ?5 states: a JSON array, or null for all
SELECT seq, line, mobile, key, occurrence, fields, state, delivery, coalesce(delivery_reason, reason) AS reason,
  messageid AS messageId, network, segments, cost AS costMicro, attempt AS attempts, queued_at AS queuedAt,
  settled_at AS settledAt, CASE WHEN state = 'sent' THEN left_at END AS sentAt, reported_at AS reportedAt,
  (SELECT id FROM batch WHERE batch.campaign = ?1 AND first_seq <= seq ORDER BY first_seq DESC LIMIT 1) AS batch
FROM message_left
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND (?5 IS NULL OR state IN (SELECT value FROM json_each(?5)))
ORDER BY seq
LIMIT ?4;

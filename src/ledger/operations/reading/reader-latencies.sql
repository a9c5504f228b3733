-- name: latencies
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint
SELECT send_ms, CASE WHEN delivery <> 'pending' THEN reported_at - left_at END AS delivery_ms
FROM message_left
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state = 'sent';

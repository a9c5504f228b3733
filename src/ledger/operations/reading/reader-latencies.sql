-- name: send
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint
SELECT send_ms AS ms, count(*) AS messages
FROM message
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state = 'sent' AND send_ms IS NOT NULL
GROUP BY send_ms;

-- name: delivery
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint
SELECT reported_at - left_at AS ms, count(*) AS messages
FROM message_left
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state = 'sent' AND delivery <> 'pending' AND reported_at - left_at IS NOT NULL
GROUP BY reported_at - left_at;

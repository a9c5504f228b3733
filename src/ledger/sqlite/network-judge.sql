-- name: reported
-- ?1 since, ?2 count
-- The messages that reports came for last, whoever they belong to: a sample that follows the networks' delay.
SELECT campaign, seq FROM (SELECT campaign, seq, received_at FROM report ORDER BY id DESC LIMIT ?2)
WHERE campaign IS NOT NULL AND received_at >= ?1;

-- name: going_on
-- ?1 campaign
SELECT c.id FROM campaign AS c JOIN campaign_settled AS s ON s.campaign = c.n
WHERE c.n = ?1 AND c.state = 'running' AND NOT s.settled;

-- name: cohort
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 since
SELECT m.network, count(*) AS sent, count(*) FILTER (WHERE m.delivery = 'delivered') AS delivered,
  count(*) FILTER (WHERE m.delivery = 'undelivered') AS undelivered, h.state
FROM message AS m LEFT JOIN network_hold AS h ON h.campaign = m.campaign AND h.network = m.network
WHERE m.campaign = ?1 AND m.seq BETWEEN ?2 AND ?3 AND m.state = 'sent' AND m.network IS NOT NULL
  AND m.claimed_at > max(?4, coalesce(h.counted_from, 0))
GROUP BY m.network;

-- name: usual
-- ?1 campaign, ?2 network, ?3 last_seq, ?4 step
-- Spread over everything before.
WITH RECURSIVE picked (seq) AS (SELECT 1 UNION ALL SELECT seq + ?4 FROM picked WHERE seq + ?4 <= ?3)
SELECT count(*) AS sent, count(*) FILTER (WHERE m.delivery = 'delivered') AS delivered,
  count(*) FILTER (WHERE m.delivery = 'undelivered') AS undelivered
FROM picked CROSS JOIN message AS m ON m.campaign = ?1 AND m.seq = picked.seq
WHERE m.state = 'sent' AND m.network = ?2 AND picked.seq <= ?3;

-- name: worst
-- ?1 campaign, ?2 network, ?3 first_seq, ?4 last_seq
-- A ledger that never met any failure before knows no word, so none is new to it.
SELECT delivery_reason AS word, count(*) AS count,
  EXISTS (SELECT 1 FROM failure_word WHERE campaign <> ?1)
  AND NOT EXISTS (SELECT 1 FROM failure_word WHERE word = delivery_reason AND campaign <> ?1) AS isNew
FROM message
WHERE campaign = ?1 AND seq BETWEEN ?3 AND ?4 AND network = ?2 AND delivery = 'undelivered' AND delivery_reason IS NOT NULL
GROUP BY delivery_reason
ORDER BY count(*) DESC, delivery_reason
LIMIT 1;

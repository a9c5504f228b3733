-- name: reported
-- ?1 since bigint, ?2 count bigint
-- For each running campaign, the middle one of the last reported messages: a sample that follows the
-- networks' delay. A campaign with fewer reports is not judged.
SELECT campaign, c.id, seq AS middle
FROM (
  SELECT campaign, seq, row_number() OVER (PARTITION BY campaign ORDER BY seq) AS place, count(*) OVER (PARTITION BY campaign) AS count
  FROM (SELECT campaign, seq, received_at FROM report ORDER BY id DESC LIMIT ?2 + 0) AS latest
  WHERE campaign IS NOT NULL AND received_at >= ?1
) AS placed
JOIN campaign AS c ON c.n = campaign JOIN campaign_settled AS s USING (campaign)
WHERE place = count / 2 + 1 AND count >= 15 AND c.state = 'running' AND NOT s.settled;

-- name: shares
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 since bigint
SELECT m.network, count(*) AS sent, count(*) FILTER (WHERE m.delivery = 'delivered') AS delivered,
  count(*) FILTER (WHERE m.delivery = 'undelivered') AS undelivered, h.state
FROM message AS m LEFT JOIN network_hold AS h ON h.campaign = m.campaign AND h.network = m.network
WHERE m.campaign = ?1 AND m.seq BETWEEN ?2 AND ?3 AND m.state = 'sent' AND m.network IS NOT NULL
  AND m.claimed_at > max(?4, coalesce(h.counted_from, 0))
GROUP BY m.network, h.state;

-- name: worst
-- ?1 campaign bigint, ?2 network text, ?3 first_seq bigint, ?4 last_seq bigint
SELECT delivery_reason AS word
FROM message
WHERE campaign = ?1 AND seq BETWEEN ?3 AND ?4 AND network = ?2 AND delivery = 'undelivered' AND delivery_reason IS NOT NULL
GROUP BY delivery_reason
ORDER BY count(*) DESC, delivery_reason
LIMIT 1;

-- name: campaigns_before
-- ?1 instant bigint
SELECT n, id, name, account, coalesce(json_extract(settings, '$.currency'), '') AS currency, estimated AS "estimatedMicro"
FROM campaign
WHERE state <> 'draft' AND first_claim_at < ?1
ORDER BY n;

-- name: charged
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 step_ms bigint
SELECT left_at - left_at % ?4 AS step, network, state, written_off AS "writtenOff", segments,
  CASE WHEN cost IS NULL THEN counted END AS counted, count(*) AS messages, sum(cost) AS cost,
  count(*) FILTER (WHERE delivery = 'delivered') AS delivered, count(*) FILTER (WHERE delivery = 'undelivered') AS undelivered,
  min(left_at) AS "firstAt", max(left_at) AS "lastAt"
FROM message_left
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state IN ('sent', 'uncertain')
GROUP BY 1, network, state, written_off, segments, 6;

-- name: accounts
SELECT client_id AS account FROM account ORDER BY client_id;

-- name: campaigns_before
-- ?1 instant bigint
SELECT n, id, name, account, coalesce(json_extract(settings, '$.currency'), '') AS currency, estimated AS "estimatedMicro"
FROM campaign
WHERE state <> 'draft' AND first_claim_at < ?1
ORDER BY n;

-- name: costs
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 from_at bigint, ?5 to_at bigint, ?6 step_ms bigint
-- at: the step of time in which they left; -1: before ?4, or from ?5 on.
SELECT state, written_off AS "writtenOff", delivery, network, segments, cost, counted,
  CASE WHEN left_at >= ?4 AND left_at < ?5 THEN left_at - left_at % ?6 ELSE -1 END AS at,
  count(*) AS messages, min(left_at) AS "firstAt", max(left_at) AS "lastAt"
FROM message_left
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state IN ('sent', 'uncertain')
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;

-- name: accounts
SELECT client_id AS account FROM account ORDER BY client_id;

-- name: campaigns_before
-- ?1 instant bigint
SELECT n, id, name, account, coalesce(json_extract(settings, '$.currency'), '') AS currency, estimated AS "estimatedMicro"
FROM campaign
WHERE state <> 'draft' AND first_claim_at < ?1
ORDER BY n;

-- name: charged
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint
-- Not grouped here, because the rows would be sorted for it.
SELECT state, written_off, left_at, network, segments, cost, counted, delivery
FROM message_left
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state IN ('sent', 'uncertain');

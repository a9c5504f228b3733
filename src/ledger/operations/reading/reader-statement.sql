-- name: accounts
SELECT client_id AS account FROM account ORDER BY client_id;

-- name: campaigns_before
-- ?1 instant bigint
SELECT n, id, name, account, coalesce(json_extract(settings, '$.currency'), '') AS currency, estimated AS "estimatedMicro"
FROM campaign
WHERE state <> 'draft' AND first_claim_at < ?1
ORDER BY n;

-- name: cost_cells
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint
-- The aggregate is JavaScript (reader-statement.ts), because SQLite would sort the rows to group them.
-- The first argument: 0 sent, 1 uncertain, 2 uncertain and written off.
SELECT cost_cells((state = 'uncertain') + written_off, left_at, network, segments, cost, counted, delivery)
FROM message_left
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state IN ('sent', 'uncertain');

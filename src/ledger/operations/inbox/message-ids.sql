-- name: shared_families
-- ?1 plain_ids text
-- plain_ids: a JSON array. Those that several messages have.
SELECT n.value AS "plainId" FROM json_each(?1) AS n
WHERE EXISTS (SELECT 1 FROM message_id AS i WHERE i.plain_id = n.value LIMIT 1 OFFSET 1);

-- name: related
-- ?1 campaign bigint, ?2 seq bigint
-- The message, when its family has another member. EXISTS stops at the first, because a family may be large. Nobody knows
-- when a lost message began.
SELECT ltrim(lower(m.messageid), '0') AS "plainId", m.campaign, m.seq, m.messageid AS "messageId", m.mobile,
  CASE WHEN m.lost <> 0 THEN 0 ELSE coalesce(m.claimed_at, 0) END AS "begunAt"
FROM message AS m
WHERE m.campaign = ?1 AND m.seq = ?2 AND m.messageid IS NOT NULL AND EXISTS (
  SELECT 1 FROM message_id AS i
  WHERE i.plain_id = ltrim(lower(m.messageid), '0') AND (i.campaign <> m.campaign OR i.seq <> m.seq)
);

-- name: family_to
-- ?1 messageid text, ?2 mobile text
SELECT i.campaign, i.seq, m.messageid AS "messageId", m.mobile, CASE WHEN m.lost <> 0 THEN 0 ELSE coalesce(m.claimed_at, 0) END AS "begunAt"
FROM campaign AS c CROSS JOIN message AS o INDEXED BY message_identity ON o.campaign = c.n AND o.mobile = ?2
CROSS JOIN message_id AS i ON i.plain_id = ltrim(lower(?1), '0') AND i.campaign = o.campaign AND i.seq = o.seq
CROSS JOIN message AS m ON m.campaign = i.campaign AND m.seq = i.seq;

-- name: exact
-- ?1 messageid text, ?2 begun_until bigint, ?3 count bigint
SELECT i.campaign, i.seq, m.messageid AS "messageId", m.mobile, CASE WHEN m.lost <> 0 THEN 0 ELSE coalesce(m.claimed_at, 0) END AS "begunAt"
FROM message_id AS i CROSS JOIN message AS m ON m.campaign = i.campaign AND m.seq = i.seq
WHERE i.plain_id = ltrim(lower(?1), '0') AND m.messageid = ?1 AND CASE WHEN m.lost <> 0 THEN 0 ELSE coalesce(m.claimed_at, 0) END <= ?2
ORDER BY i.campaign, i.seq
LIMIT ?3;

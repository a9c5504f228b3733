-- name: count_fresh
-- Ids leave from the front, and an empty table begins again with 1.
SELECT max(n) - (SELECT min(n) FROM fresh_id) + 1 AS count FROM fresh_id;

-- name: sort_fresh
-- ?1 version bigint
INSERT INTO sorted_id (plain_id, messageid, campaign, seq, fresh_to, version)
SELECT ltrim(lower(m.messageid), '0') AS plain_id, m.messageid, f.campaign, f.seq, (SELECT max(n) FROM fresh_id), ?1
FROM fresh_id AS f CROSS JOIN message AS m ON m.campaign = f.campaign AND m.seq = f.seq
WHERE m.messageid IS NOT NULL
ORDER BY plain_id;

-- name: first_sorted
SELECT min(n) AS first, fresh_to AS "freshTo", version FROM sorted_id;

-- name: put_sorted
-- ?1 to bigint
-- An id that was taken back and given again is there already; an id that was taken away since is left out.
INSERT INTO message_id (plain_id, campaign, seq)
SELECT s.plain_id, s.campaign, s.seq
FROM sorted_id AS s CROSS JOIN message AS m ON m.campaign = s.campaign AND m.seq = s.seq
WHERE s.n <= ?1 AND m.messageid = s.messageid
ORDER BY s.n
ON CONFLICT DO NOTHING;

-- name: related
-- ?1 to bigint
-- Messages whose family has another member. EXISTS stops at the first, because a family may be large.
SELECT s.plain_id AS "plainId", s.campaign, s.seq, m.messageid AS "messageId", m.mobile,
  CASE WHEN m.lost <> 0 THEN 0 ELSE coalesce(m.claimed_at, 0) END AS "begunAt"
FROM sorted_id AS s CROSS JOIN message AS m ON m.campaign = s.campaign AND m.seq = s.seq
WHERE s.n <= ?1 AND m.messageid = s.messageid AND EXISTS (
  SELECT 1 FROM message_id AS i
  WHERE i.plain_id = s.plain_id AND (i.campaign <> s.campaign OR i.seq <> s.seq)
);

-- name: drop_sorted
-- ?1 to bigint
DELETE FROM sorted_id WHERE n <= ?1;

-- name: clear_fresh
-- ?1 to bigint
DELETE FROM fresh_id WHERE n <= ?1;

-- name: family
-- ?1 messageid text, ?2 count bigint
-- Nobody knows when a lost message began.
SELECT i.campaign, i.seq, m.messageid AS "messageId", m.mobile, CASE WHEN m.lost <> 0 THEN 0 ELSE coalesce(m.claimed_at, 0) END AS "begunAt"
FROM message_id AS i CROSS JOIN message AS m ON m.campaign = i.campaign AND m.seq = i.seq
WHERE i.plain_id = ltrim(lower(?1), '0')
LIMIT ?2 + 0;

-- name: family_to
-- ?1 messageid text, ?2 mobile text
SELECT i.campaign, i.seq, m.messageid AS "messageId", m.mobile, CASE WHEN m.lost <> 0 THEN 0 ELSE coalesce(m.claimed_at, 0) END AS "begunAt"
FROM campaign AS c CROSS JOIN message AS o ON o.campaign = c.n AND o.mobile = ?2
CROSS JOIN message_id AS i ON i.plain_id = ltrim(lower(?1), '0') AND i.campaign = o.campaign AND i.seq = o.seq
CROSS JOIN message AS m ON m.campaign = i.campaign AND m.seq = i.seq;

-- name: exact
-- ?1 messageid text, ?2 begun_until bigint, ?3 count bigint
SELECT i.campaign, i.seq, m.messageid AS "messageId", m.mobile, CASE WHEN m.lost <> 0 THEN 0 ELSE coalesce(m.claimed_at, 0) END AS "begunAt"
FROM message_id AS i CROSS JOIN message AS m ON m.campaign = i.campaign AND m.seq = i.seq
WHERE i.plain_id = ltrim(lower(?1), '0') AND m.messageid = ?1 AND CASE WHEN m.lost <> 0 THEN 0 ELSE coalesce(m.claimed_at, 0) END <= ?2
LIMIT ?3 + 0;

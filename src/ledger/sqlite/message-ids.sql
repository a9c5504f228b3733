-- name: count_fresh
-- Ids leave from the front, and an empty table begins again with 1.
SELECT max(n) - (SELECT min(n) FROM fresh_id) + 1 AS count FROM fresh_id;

-- name: sort_fresh
-- ?1 version
INSERT INTO sorted_id (messageid, campaign, seq, fresh_to, version)
SELECT m.messageid, f.campaign, f.seq, (SELECT max(n) FROM fresh_id), ?1
FROM fresh_id AS f CROSS JOIN message AS m ON m.campaign = f.campaign AND m.seq = f.seq
WHERE m.messageid IS NOT NULL
ORDER BY m.messageid;

-- name: first_sorted
SELECT min(n) AS first, fresh_to AS freshTo, version FROM sorted_id;

-- name: put_sorted
-- ?1 to
-- An id that was taken back and given again is there already; an id that was taken away since is left out.
INSERT OR IGNORE INTO message_id (messageid, campaign, seq)
SELECT s.messageid, s.campaign, s.seq
FROM sorted_id AS s CROSS JOIN message AS m ON m.campaign = s.campaign AND m.seq = s.seq
WHERE s.n <= ?1 AND m.messageid = s.messageid
ORDER BY s.n;

-- name: repeated
-- ?1 to
-- Messages whose id another message has, too. EXISTS stops at the first, because many may share one id.
SELECT s.messageid AS messageId, s.campaign, s.seq
FROM sorted_id AS s
WHERE s.n <= ?1 AND EXISTS (
  SELECT 1 FROM message_id AS i
  WHERE i.messageid = s.messageid AND (i.campaign <> s.campaign OR i.seq <> s.seq)
) AND EXISTS (
  SELECT 1 FROM message AS m WHERE m.campaign = s.campaign AND m.seq = s.seq AND m.messageid = s.messageid
);

-- name: drop_sorted
-- ?1 to
DELETE FROM sorted_id WHERE n <= ?1;

-- name: clear_fresh
-- ?1 to
DELETE FROM fresh_id WHERE n <= ?1;

-- name: with_id
-- ?1 messageid, ?2 count
SELECT campaign, seq FROM message_id WHERE messageid = ?1 LIMIT ?2 + 0;

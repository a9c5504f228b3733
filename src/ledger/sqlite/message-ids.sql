-- name: count_fresh
-- An empty table begins again with 1.
SELECT max(n) AS count FROM fresh_id;

-- name: put_fresh
-- One that was taken back and given again is there already.
INSERT OR IGNORE INTO message_id (messageid, campaign, seq)
SELECT m.messageid, f.campaign, f.seq
FROM fresh_id AS f CROSS JOIN message AS m ON m.campaign = f.campaign AND m.seq = f.seq
WHERE m.messageid IS NOT NULL
ORDER BY m.messageid;

-- name: repeated
-- Fresh messages with an id that another message has, too. Stops at the first other: a provider may give all the same.
SELECT m.messageid AS messageId, f.campaign, f.seq
FROM fresh_id AS f CROSS JOIN message AS m ON m.campaign = f.campaign AND m.seq = f.seq
WHERE m.messageid IS NOT NULL AND EXISTS (
  SELECT 1 FROM message_id AS i
  WHERE i.messageid = m.messageid AND (i.campaign <> f.campaign OR i.seq <> f.seq)
);

-- name: clear_fresh
DELETE FROM fresh_id;

-- name: with_id
-- ?1 messageid, ?2 count
SELECT campaign, seq FROM message_id WHERE messageid = ?1 LIMIT ?2 + 0;

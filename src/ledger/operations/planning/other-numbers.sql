-- name: any
SELECT 1 FROM other_number LIMIT 1;

-- name: add
-- ?1 campaign bigint, ?2 seq bigint, ?3 others text: a JSON array
INSERT INTO other_number (campaign, mobile, key, occurrence, seq)
SELECT m.campaign, n.value, m.key, m.occurrence, m.seq
FROM message AS m CROSS JOIN json_each(?3) AS n
WHERE m.campaign = ?1 AND m.seq = ?2 AND n.value <> m.mobile
ON CONFLICT DO NOTHING;

-- name: beside
-- ?1 name text, ?2 numbers text: a JSON array, ?3 key text, ?4 occurrence text, ?5 keyed bigint
-- The numbers that ever stood in one row with one of these, for the same reminder.
SELECT o.mobile
FROM json_each(?2) AS n CROSS JOIN campaign AS c INDEXED BY campaign_name ON c.name = ?1 AND c.state <> 'draft'
CROSS JOIN message AS m INDEXED BY message_identity ON m.campaign = c.n AND m.mobile = n.value AND m.key = ?3 AND (?5 = 1 OR m.occurrence = ?4)
CROSS JOIN other_number AS o ON o.campaign = m.campaign AND o.seq = m.seq
UNION
SELECT m.mobile
FROM json_each(?2) AS n CROSS JOIN campaign AS c INDEXED BY campaign_name ON c.name = ?1 AND c.state <> 'draft'
CROSS JOIN other_number AS o ON o.campaign = c.n AND o.mobile = n.value AND o.key = ?3 AND (?5 = 1 OR o.occurrence = ?4)
CROSS JOIN message AS m ON m.campaign = o.campaign AND m.seq = o.seq;

-- name: reminder
-- ?1 campaign bigint, ?2 seq bigint
SELECT c.name, m.mobile, m.key, m.occurrence, CAST(coalesce(c.settings ->> '$.remind.keyed', '0') AS bigint) AS keyed,
  coalesce(c.activated_at, 0) AS since
FROM message AS m JOIN campaign AS c ON c.n = m.campaign
WHERE m.campaign = ?1 AND m.seq = ?2;

-- name: same_person
-- ?1 name text, ?2 numbers text: a JSON array, ?3 key text
-- Every message to one of these numbers in a campaign of the name.
SELECT json_group_array('[' || i.campaign || ',' || i.seq || ']') AS messages
FROM campaign AS c INDEXED BY campaign_name CROSS JOIN json_each(?2) AS n
CROSS JOIN message AS i INDEXED BY message_identity ON i.campaign = c.n AND i.mobile = n.value AND i.key = ?3
WHERE c.name = ?1;

-- name: skip_purged
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint
-- counted: seq
UPDATE message SET state = 'skipped', actor = 'planner', reason = 'already reminded', settled_at = ?3
WHERE campaign = ?1 AND seq = ?2 AND state = 'queued';

-- name: skip_reminded
-- ?1 campaign bigint, ?2 seq bigint, ?3 messages text: as of same_person, ?4 now bigint, ?5 keyed bigint, ?6 rejected bigint
-- counted: seq
-- As skip_reminded in retry-and-resolve.sql, for what went or waits at another number of the person.
UPDATE message SET state = 'skipped', actor = 'planner', reason = 'already reminded', settled_at = ?4
WHERE campaign = ?1 AND seq = ?2 AND state = 'queued' AND EXISTS (
  SELECT 1
  FROM json_each(?3) AS p CROSS JOIN message AS m ON m.campaign = CAST(p.value ->> '$[0]' AS bigint) AND m.seq = CAST(p.value ->> '$[1]' AS bigint)
  CROSS JOIN campaign AS c ON c.n = m.campaign
  WHERE m.mobile <> message.mobile AND c.state <> 'draft'
    AND m.occurrence <> '' AND (?5 = 1 OR m.occurrence = message.occurrence)
    AND CASE
      WHEN m.state IN ('sent', 'sending', 'uncertain')
      THEN c.n >= ?1 OR CASE WHEN m.lost <> 0 THEN m.lost ELSE m.claimed_at END > (SELECT activated_at FROM campaign WHERE n = ?1)
      WHEN m.state = 'rejected' THEN ?6 = 1 AND c.n = ?1 AND m.left_out = 0 AND (message.left_out = 1 OR (m.queued_at, m.seq) > (message.queued_at, message.seq))
      ELSE m.state = 'queued' AND c.state <> 'canceled' AND m.not_after > ?4
    END
);

-- name: moved_to
-- ?1 campaign bigint, ?2 seq bigint, ?3 messages text: as of same_person, ?4 now bigint, ?5 keyed bigint
-- As moved_to in retry-and-resolve.sql: the number that the last upload gave this reminder.
SELECT m.seq, m.not_before AS "notBefore"
FROM message AS a CROSS JOIN json_each(?3) AS p
CROSS JOIN message AS m ON m.campaign = CAST(p.value ->> '$[0]' AS bigint) AND m.seq = CAST(p.value ->> '$[1]' AS bigint)
WHERE a.campaign = ?1 AND a.seq = ?2 AND m.campaign = ?1 AND m.seq <> ?2 AND (?5 = 1 OR m.occurrence = a.occurrence)
  AND m.state = 'skipped' AND m.reason = 'already reminded' AND m.not_after > ?4
  AND m.left_out = 0 AND m.queued_at >= (SELECT max(at) FROM upload WHERE campaign = ?1);

-- name: skip_waiting
-- ?1 campaign bigint, ?2 seq bigint, ?3 messages text: as of same_person, ?4 now bigint
-- counted: returned
-- As skip_other_dates in answers.sql: the reminder may have been sent, so it waits at no other number.
UPDATE message SET state = 'skipped', actor = 'planner', reason = 'already reminded', settled_at = ?4
WHERE campaign = ?1 AND state = 'queued' AND seq <> ?2
  AND seq IN (SELECT CAST(value ->> '$[1]' AS bigint) FROM json_each(?3) WHERE CAST(value ->> '$[0]' AS bigint) = ?1)
  AND occurrence <> '' AND (
    (SELECT CAST(settings ->> '$.remind.keyed' AS bigint) FROM campaign WHERE n = ?1) = 1
    OR occurrence = (SELECT occurrence FROM message WHERE campaign = ?1 AND seq = ?2)
  )
RETURNING seq;

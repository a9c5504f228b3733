-- name: of_number
-- ?1 campaign bigint, ?2 mobile text, ?3 line bigint, ?4 key text, ?5 occurrence text, ?6 series bigint
-- Messages to the number, and to people that have it as another of their numbers.
SELECT m.seq, m.mobile, m.key, m.occurrence, m.state
FROM (
  SELECT seq FROM message INDEXED BY message_identity WHERE campaign = ?1 AND mobile = ?2
  UNION SELECT +seq FROM other_number WHERE campaign = ?1 AND mobile = ?2
) AS i CROSS JOIN message AS m ON m.campaign = ?1 AND m.seq = i.seq
WHERE (?3 IS NULL OR m.line = ?3)
  AND (?4 IS NULL OR m.key = ?4 OR (?6 = 1 AND substr(m.key, 1, length(?4) + 2) = ?4 || ' (')) AND (?5 IS NULL OR m.occurrence = ?5);

-- name: of_campaign
-- ?1 campaign bigint, ?2 line bigint, ?3 key text, ?4 occurrence text, ?5 series bigint
-- The reminders of a series have the offset behind their key.
SELECT m.seq, m.mobile, m.key, m.occurrence, m.state
FROM message AS m
WHERE m.campaign = ?1 AND (?2 IS NULL OR m.line = ?2)
  AND (?3 IS NULL OR m.key = ?3 OR (?5 = 1 AND substr(m.key, 1, length(?3) + 2) = ?3 || ' (')) AND (?4 IS NULL OR m.occurrence = ?4);

-- name: rule
-- ?1 campaign bigint
SELECT name, CAST(coalesce(settings ->> '$.remind.keyed', '0') AS bigint) AS keyed FROM campaign WHERE n = ?1;

-- name: at_numbers
-- ?1 campaign bigint, ?2 numbers text: a JSON array, ?3 key text, ?4 about text: an occurrence, or null for any, ?5 occurrence text
SELECT m.seq, m.mobile, m.key, m.occurrence, m.state
FROM json_each(?2) AS n CROSS JOIN message AS m INDEXED BY message_identity ON m.campaign = ?1 AND m.mobile = n.value AND m.key = ?3
WHERE (?4 IS NULL OR m.occurrence = ?4) AND (?5 IS NULL OR m.occurrence = ?5);

-- name: people_left
-- ?1 campaign bigint
-- Without a key and a date a number has one message, so that the counters know it.
SELECT CASE
  WHEN coalesce(settings ->> '$.key', '[]') = '[]' AND settings ->> '$.remind' IS NULL
  THEN (SELECT coalesce(sum(messages), 0) FROM campaign_count WHERE campaign = n AND state = 'queued')
  ELSE (SELECT count(DISTINCT mobile) FROM message WHERE campaign = n AND state = 'queued')
END AS people
FROM campaign WHERE n = ?1;

-- name: add
-- ?1 campaign bigint, ?2 mobile text, ?3 key text, ?4 occurrence text
INSERT INTO canceled_person (campaign, mobile, key, occurrence)
SELECT ?1, ?2, ?3, ?4
WHERE NOT EXISTS (
  SELECT 1 FROM canceled_person WHERE campaign = ?1 AND mobile IS NOT DISTINCT FROM ?2 AND key IS NOT DISTINCT FROM ?3 AND occurrence IS NOT DISTINCT FROM ?4
);

-- name: cancel
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint
-- counted: seq
UPDATE message SET state = 'canceled', actor = 'operator', reason = 'canceled by hand', settled_at = ?3
WHERE campaign = ?1 AND seq = ?2 AND state = 'queued';

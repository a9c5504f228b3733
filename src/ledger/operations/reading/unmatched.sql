-- name: unmatched
-- ?1 since bigint, ?2 until bigint
SELECT count(*) FILTER (WHERE joined = 'waiting') AS count, count(*) FILTER (WHERE joined = 'ambiguous') AS ambiguous,
  max(received_at) AS "lastAt"
FROM report INDEXED BY report_unjoined
WHERE joined <> 'joined' AND received_at BETWEEN ?1 AND ?2;

-- name: latest
-- ?1 since bigint, ?2 until bigint, ?3 limit bigint
SELECT messageid AS reported, mobile, webhook
FROM report INDEXED BY report_unjoined
WHERE joined <> 'joined' AND joined = 'waiting' AND received_at BETWEEN ?1 AND ?2
ORDER BY id DESC
LIMIT ?3;

-- name: ids_to
-- ?1 mobile text, ?2 limit bigint
SELECT m.messageid AS known
FROM campaign AS c CROSS JOIN message AS m INDEXED BY message_identity ON m.campaign = c.n AND m.mobile = ?1
WHERE m.messageid IS NOT NULL
ORDER BY m.claimed_at DESC
LIMIT ?2;

-- name: id_like
-- ?1 plain ids text (JSON)
SELECT m.messageid AS known
FROM json_each(?1) AS form CROSS JOIN message_id AS i ON i.plain_id = form.value
CROSS JOIN message AS m ON m.campaign = i.campaign AND m.seq = i.seq
LIMIT 1;

-- name: some_id
-- The first messages of a campaign have ids when any have.
SELECT m.messageid AS known
FROM (SELECT n FROM campaign WHERE last_claim_at IS NOT NULL ORDER BY last_claim_at DESC LIMIT 3) AS c
CROSS JOIN message AS m ON m.campaign = c.n AND m.seq <= 1000
WHERE m.messageid IS NOT NULL
LIMIT 1;

-- name: repeated_ids
-- ?1 limit bigint
SELECT messageid AS "messageId", messages, (
    SELECT count(*) FROM report AS r INDEXED BY report_unjoined
    WHERE r.joined <> 'joined' AND r.plain_id = ltrim(lower(twice.messageid), '0') AND r.messageid = twice.messageid
  ) AS undecided, count(*) OVER () AS total
FROM (
  SELECT m.messageid, count(*) AS messages
  FROM (SELECT plain_id FROM message_id GROUP BY plain_id HAVING count(*) > 1) AS family
  CROSS JOIN message_id AS i ON i.plain_id = family.plain_id
  CROSS JOIN message AS m ON m.campaign = i.campaign AND m.seq = i.seq
  GROUP BY m.messageid
  HAVING count(*) > 1
) AS twice
ORDER BY messages DESC, messageid
LIMIT ?1;

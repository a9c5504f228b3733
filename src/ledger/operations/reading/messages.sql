-- name: messages
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 limit bigint, ?5 states text: a JSON array, or null for all,
-- ?6 with_fields bigint
SELECT seq, line, mobile, key, occurrence, state, delivery, reason, "providerWords", "messageId", network, segments, "costMicro",
  attempts, "queuedAt", "settledAt", "notBefore", "sentAt", "reportedAt", batch, CASE WHEN ?6 = 1 THEN fields END
FROM message_listed
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND (?5 IS NULL OR state IN (SELECT value FROM json_each(?5)))
ORDER BY seq
LIMIT ?4 + 0;

-- name: provider_words
-- ?1 campaign bigint, ?2 most bigint
-- The most frequent for each state and reason, among the first answers that were no plain acceptance, and among the last.
SELECT state, reason, words FROM (SELECT m.state, m.reason, e.words,
  row_number() OVER (PARTITION BY m.state, m.reason ORDER BY count(*) DESC, e.words) AS place
FROM (
  SELECT * FROM (SELECT campaign, seq, attempt, words FROM evidence WHERE campaign = ?1 ORDER BY seq LIMIT ?2) AS first
  UNION
  SELECT * FROM (SELECT campaign, seq, attempt, words FROM evidence WHERE campaign = ?1 ORDER BY seq DESC LIMIT ?2) AS last
) AS e
CROSS JOIN message AS m ON m.campaign = e.campaign AND m.seq = e.seq AND m.attempt = e.attempt
WHERE m.state IN ('rejected', 'uncertain') AND m.reason IS NOT NULL AND e.words IS NOT NULL
GROUP BY m.state, m.reason, e.words) AS said
WHERE place = 1;

-- name: uncertain
-- ?1 campaign bigint, ?2 limit bigint, ?3 line bigint, ?4 mobile text
-- By the index of uncertain messages: there are few of them in a ledger, and a campaign may have a million others. The
-- latest evidence of the present attempt, because an answer may come after a first verdict.
SELECT m.seq, m.line, m.mobile, m.key, m.reason, m.attempt AS attempts, m.settled_at AS "settledAt",
  m.written_off AS "isWrittenOff", m.flags, e.at AS "seenAt", e.http_status AS "httpStatus", e.code, e.raw
FROM (
  SELECT campaign, seq FROM message INDEXED BY message_uncertain
  WHERE state = 'uncertain' AND campaign = ?1 AND (?4 IS NULL OR mobile = ?4) AND (?3 IS NULL OR line = ?3)
  ORDER BY seq
  LIMIT ?2
) AS u CROSS JOIN message AS m ON m.campaign = u.campaign AND m.seq = u.seq
LEFT JOIN evidence AS e ON e.campaign = m.campaign AND e.seq = m.seq AND e.attempt = m.attempt AND e.at = (
  SELECT max(at) FROM evidence WHERE campaign = m.campaign AND seq = m.seq AND attempt = m.attempt
)
ORDER BY m.seq;

-- name: young_uncertain
-- ?1 campaign bigint, ?2 since bigint
SELECT count(*) AS count, max(settled_at) AS "latestAt"
FROM message INDEXED BY message_uncertain
WHERE state = 'uncertain' AND campaign = ?1 AND written_off = 0 AND settled_at >= ?2;

-- name: count_uncertain
-- ?1 campaign bigint, ?2 line bigint, ?3 mobile text
SELECT count(*) AS total
FROM message INDEXED BY message_uncertain
WHERE state = 'uncertain' AND campaign = ?1 AND (?2 IS NULL OR line = ?2) AND (?3 IS NULL OR mobile = ?3);

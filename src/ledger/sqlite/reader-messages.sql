-- name: messages
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 limit bigint, ?5 states text: a JSON array, or null for all
SELECT seq, line, mobile, key, occurrence, fields, state, delivery, coalesce(delivery_reason, reason) AS reason,
  CASE WHEN state IN ('rejected', 'uncertain') THEN (
    SELECT words FROM evidence AS e
    WHERE e.campaign = message_left.campaign AND e.seq = message_left.seq AND e.attempt = message_left.attempt
    ORDER BY e.at DESC LIMIT 1
  ) END AS "providerWords",
  messageid AS "messageId", network, segments, cost AS "costMicro", attempt AS attempts, queued_at AS "queuedAt",
  settled_at AS "settledAt", not_before AS "notBefore", CASE WHEN state = 'sent' THEN left_at END AS "sentAt", reported_at AS "reportedAt",
  (SELECT id FROM batch WHERE batch.campaign = ?1 AND first_seq <= seq ORDER BY first_seq DESC LIMIT 1) AS batch
FROM message_left
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND (?5 IS NULL OR state IN (SELECT value FROM json_each(?5)))
ORDER BY seq
LIMIT ?4;

-- name: provider_words
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint
SELECT state, reason, words, count FROM (
  SELECT m.state, m.reason, e.words, count(*) AS count,
    row_number() OVER (PARTITION BY m.state, m.reason ORDER BY count(*) DESC, e.words) AS place
  FROM evidence AS e
  CROSS JOIN message AS m ON m.campaign = e.campaign AND m.seq = e.seq AND m.attempt = e.attempt
  WHERE e.campaign = ?1 AND e.seq BETWEEN ?2 AND ?3 AND m.state IN ('rejected', 'uncertain')
    AND m.reason IS NOT NULL AND e.words IS NOT NULL
  GROUP BY m.state, m.reason, e.words
) AS said
WHERE place = 1;

-- name: sampled_words
-- ?1 campaign bigint, ?2 most bigint
SELECT m.state, m.reason, e.words, count(*) AS count
FROM (
  SELECT * FROM (SELECT campaign, seq, attempt, words FROM evidence WHERE campaign = ?1 ORDER BY seq LIMIT ?2) AS first
  UNION
  SELECT * FROM (SELECT campaign, seq, attempt, words FROM evidence WHERE campaign = ?1 ORDER BY seq DESC LIMIT ?2) AS last
) AS e
CROSS JOIN message AS m ON m.campaign = e.campaign AND m.seq = e.seq AND m.attempt = e.attempt
WHERE m.state IN ('rejected', 'uncertain') AND m.reason IS NOT NULL AND e.words IS NOT NULL
GROUP BY m.state, m.reason, e.words;

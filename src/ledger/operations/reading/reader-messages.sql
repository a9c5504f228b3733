-- name: messages
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 limit bigint, ?5 states text: a JSON array, or null for all
SELECT * FROM message_listed
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

-- name: uncertain
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 limit, ?5 line, ?6 mobile
-- The latest evidence of the present attempt, because an answer may come after a first verdict. Few messages are
-- uncertain: by their index a campaign of a million costs what they cost.
SELECT m.seq, m.line, m.mobile, m.key, m.reason, m.attempt AS attempts, m.settled_at AS settledAt,
  m.written_off AS writtenOff, m.flags, e.at AS seenAt, e.http_status AS httpStatus, e.code, e.raw
FROM message AS m INDEXED BY message_uncertain
LEFT JOIN evidence AS e ON e.campaign = m.campaign AND e.seq = m.seq AND e.attempt = m.attempt AND e.at = (
  SELECT max(at) FROM evidence WHERE campaign = m.campaign AND seq = m.seq AND attempt = m.attempt
)
WHERE m.campaign = ?1 AND m.seq BETWEEN ?2 AND ?3 AND m.state = 'uncertain'
  AND (?5 IS NULL OR m.line = ?5) AND (?6 IS NULL OR m.mobile = ?6)
ORDER BY m.seq
LIMIT ?4;

-- name: count_uncertain
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 line, ?5 mobile
SELECT count(*) AS count
FROM message INDEXED BY message_uncertain
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state = 'uncertain'
  AND (?4 IS NULL OR line = ?4) AND (?5 IS NULL OR mobile = ?5);

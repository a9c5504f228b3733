-- name: put
-- ?1 campaign bigint, ?2 mobile text, ?3 seq bigint
INSERT INTO identity (campaign, mobile, key, occurrence, seq)
VALUES (?1, ?2, '', '', ?3);

-- name: put_span
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint
INSERT INTO identity (campaign, mobile, key, occurrence, seq)
SELECT campaign, mobile, key, occurrence, seq FROM message WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3;

-- name: put_missing
-- ?1 campaign bigint
INSERT INTO identity (campaign, mobile, key, occurrence, seq)
SELECT campaign, mobile, key, occurrence, seq FROM message AS m
WHERE campaign = ?1 AND NOT EXISTS (
  SELECT 1 FROM identity AS i
  WHERE i.campaign = m.campaign AND i.mobile = m.mobile AND i.key = m.key AND i.occurrence = m.occurrence
)
ORDER BY campaign, mobile, key, occurrence
RETURNING seq;

-- name: some_of
-- ?1 campaign bigint, ?2 afterSeq bigint, ?3 limit bigint
SELECT seq, mobile, key, occurrence FROM message WHERE campaign = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3;

-- name: is_put
-- ?1 campaign bigint, ?2 seq bigint
SELECT 1 FROM message AS m CROSS JOIN identity AS i
  ON i.campaign = m.campaign AND i.mobile = m.mobile AND i.key = m.key AND i.occurrence = m.occurrence
WHERE m.campaign = ?1 AND m.seq = ?2;

-- name: line_at
-- ?1 campaign bigint, ?2 seq bigint, ?3 mobile text, ?4 key text, ?5 occurrence text
SELECT line FROM message WHERE campaign = ?1 AND seq = ?2 AND mobile = ?3 AND key = ?4 AND occurrence = ?5;

-- name: line_of
-- ?1 campaign bigint, ?2 mobile text, ?3 key text, ?4 occurrence text
SELECT m.line FROM identity AS i CROSS JOIN message AS m ON m.campaign = i.campaign AND m.seq = i.seq
WHERE i.campaign = ?1 AND i.mobile = ?2 AND i.key = ?3 AND i.occurrence = ?4;

-- name: is_complete
-- ?1 campaign bigint
SELECT 1 WHERE (SELECT count(*) FROM identity WHERE campaign = ?1)
  = (SELECT coalesce(max(seq), 0) FROM message WHERE campaign = ?1);

-- name: discard
-- ?1 campaign bigint, ?2 count bigint
DELETE FROM identity WHERE campaign = ?1 AND (mobile, key, occurrence) <= (
  SELECT mobile, key, occurrence FROM (
    SELECT mobile, key, occurrence FROM identity WHERE campaign = ?1 ORDER BY mobile, key, occurrence LIMIT ?2
  ) AS first ORDER BY mobile DESC, key DESC, occurrence DESC LIMIT 1
);

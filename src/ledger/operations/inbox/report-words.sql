-- name: set_word
-- ?1 letters text, ?2 delivery text
INSERT INTO report_word (letters, delivery) VALUES (?1, ?2) ON CONFLICT (letters) DO UPDATE SET delivery = excluded.delivery;

-- name: unknown_spellings
-- ?1 after text
SELECT DISTINCT word FROM report INDEXED BY report_unknown WHERE known = 0 AND word > ?1 ORDER BY word;

-- name: reports_with_word
-- ?1 word text, ?2 after bigint, ?3 limit bigint
SELECT id, messageid AS "messageId", mobile, network, received_at AS "receivedAt", campaign, seq, joined
FROM report INDEXED BY report_unknown
WHERE known = 0 AND word = ?1 AND id > ?2
ORDER BY id
LIMIT ?3;

-- name: set_meaning
-- ?1 report bigint, ?2 delivery text
UPDATE report SET delivery = ?2 WHERE id = ?1;

-- name: replies
-- ?1 campaign bigint, ?2 since bigint, ?3 before_written_at bigint, ?4 before_id bigint, ?5 in_doubt bigint, ?6 limit bigint
SELECT r.* FROM reply_listed AS r
WHERE (?1 IS NULL OR r.campaign = ?1) AND r."receivedAt" >= ?2 AND (?3 IS NULL OR (r."writtenAt", r.id) < (?3, ?4))
  AND (?5 = 0 OR r.id IN (SELECT id FROM reply_in_doubt))
ORDER BY r."writtenAt" DESC, r.id DESC
LIMIT ?6;

-- name: replies_in_doubt
SELECT count(*) AS count FROM reply_in_doubt;

-- name: chat_detail
-- ?1 record_id text
SELECT detail FROM reply
WHERE record_id IS NOT NULL AND lower(record_id) = lower(?1) AND voided_at IS NULL
ORDER BY id DESC
LIMIT 1;

-- name: opt_outs
-- ?1 mobile text, ?2 kind text, ?3 sender text, ?4 limit bigint, ?5 look bigint
-- The rows after a row, in order of number. Each part reads a little more than a page.
SELECT mobile, kind, sender, source, at, evidence
FROM (
  SELECT * FROM (
    SELECT mobile, 'opted out' AS kind, sender, source, at, evidence
    FROM opt_out WHERE mobile >= ?1 ORDER BY mobile, sender LIMIT ?5
  ) AS opted_out
  UNION ALL
  SELECT * FROM (
    SELECT mobile, 'dead number', '', 'learned', at, evidence FROM dead_number WHERE mobile >= ?1 ORDER BY mobile LIMIT ?5
  ) AS dead
) AS kept
WHERE (mobile, kind, sender) > (?1, ?2, ?3)
ORDER BY mobile, kind, sender
LIMIT ?4;

-- name: opt_out_history
-- ?1 mobile text
SELECT at, sender, change, source, by, evidence FROM opt_out_event WHERE mobile = ?1 ORDER BY id;

-- name: unknown_words
-- ?1 limit bigint
SELECT word, count(*) AS count, max(received_at) AS "lastAt", max(delivery) AS mapped, max(webhook) AS webhook
FROM report INDEXED BY report_unknown
WHERE known = 0
GROUP BY word
ORDER BY count DESC, word
LIMIT ?1;

-- name: open_words
-- One step in the index for each word, because a million reports may have one. A mapping changes all reports of a word.
WITH RECURSIVE words (word) AS (
  SELECT min(word) FROM report INDEXED BY report_unknown WHERE known = 0
  UNION ALL
  SELECT (SELECT min(r.word) FROM report AS r INDEXED BY report_unknown WHERE r.known = 0 AND r.word > words.word)
  FROM words WHERE words.word IS NOT NULL
)
SELECT count(*) AS count FROM words
WHERE word IS NOT NULL
  AND (SELECT delivery FROM report AS r INDEXED BY report_unknown WHERE r.known = 0 AND r.word = words.word LIMIT 1) IS NULL;

-- name: mismatched_reports
-- ?1 limit bigint
-- Where two messages have the id, that is the reason why the report joins neither.
WITH mismatched AS (
  SELECT webhook, received_at FROM report AS r INDEXED BY report_unjoined
  WHERE joined <> 'joined' AND joined = 'ambiguous' AND (
    SELECT count(*) FROM message_id AS i CROSS JOIN message AS m ON m.campaign = i.campaign AND m.seq = i.seq
    WHERE i.plain_id = r.plain_id AND m.messageid = r.messageid
  ) = 1
)
SELECT count(*) AS count, max(received_at) AS "lastAt", (
    SELECT json_group_array(webhook) FROM (SELECT DISTINCT webhook FROM mismatched ORDER BY webhook DESC LIMIT ?1) AS latest
  ) AS webhooks
FROM mismatched;

-- name: odd_webhooks
-- ?1 webhooks to look at bigint, ?2 limit bigint
SELECT id, kind, content_type AS "contentType", query, body, times, last_at AS "lastAt"
FROM webhook
WHERE id >= (SELECT max(id) FROM webhook) - ?1 AND kind IN ('not_understood', 'other') AND voided_at IS NULL AND purged_at IS NULL
ORDER BY id DESC
LIMIT ?2;

-- name: raw_webhook
-- ?1 webhook bigint
SELECT id AS webhook, received_at AS "receivedAt", last_at AS "lastAt", times, method, content_type AS "contentType", query, body,
  ip, kind, voided_at AS "voidedAt"
FROM webhook WHERE id = ?1;

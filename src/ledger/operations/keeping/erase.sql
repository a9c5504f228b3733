-- name: messages
-- ?1 mobile text
-- To the number, and to people that have it as another of their numbers.
-- isDone: nothing of it can leave any more. The rows of a recurring job stay queued, also for whom it was canceled.
SELECT m.campaign, m.seq, m.key, m.state, m.delivery, place.id,
  CASE m.state WHEN 'sending' THEN 0 WHEN 'uncertain' THEN m.written_off WHEN 'queued' THEN CASE WHEN EXISTS (
    SELECT 1 FROM schedule AS s JOIN message_of_canceled AS c ON c.campaign = s.campaign
    WHERE s.campaign = m.campaign AND c.seq = m.seq
  ) THEN 1 ELSE 0 END ELSE 1 END AS "isDone",
  EXISTS (SELECT 1 FROM applying AS a WHERE a.campaign = m.campaign)
    OR EXISTS (SELECT 1 FROM schedule AS s WHERE s.campaign = m.campaign AND s.building IS NOT NULL) AS "isChanging"
FROM (
  SELECT c.n, c.id, i.seq
  FROM campaign AS c CROSS JOIN message AS i INDEXED BY message_identity ON i.campaign = c.n AND i.mobile = ?1
  WHERE c.state <> 'draft'
  UNION
  SELECT c.n, c.id, +o.seq
  FROM campaign AS c CROSS JOIN other_number AS o ON o.campaign = c.n AND o.mobile = ?1
  WHERE c.state <> 'draft'
) AS place CROSS JOIN message AS m ON m.campaign = place.n AND m.seq = place.seq
ORDER BY m.campaign DESC, m.seq;

-- name: replies
-- ?1 mobile text
SELECT id, webhook FROM reply WHERE mobile = ?1 ORDER BY id;

-- name: maybe_stops
-- ?1 mobile text
SELECT count(*) AS waiting FROM reply_in_doubt WHERE mobile = ?1;

-- name: begin
-- ?1 mobile text, ?2 at bigint
INSERT INTO erasing (mobile, at) VALUES (?1, ?2) ON CONFLICT (mobile) DO NOTHING;

-- name: open
-- ?1 before bigint
SELECT mobile FROM erasing WHERE at < ?1 ORDER BY at, mobile;

-- name: end
-- ?1 mobile text
DELETE FROM erasing WHERE mobile = ?1;

-- name: take_exports
-- ?1 result text
-- Their files hold the number, also one that is being written. The rows stay, for whoever looks for the file.
UPDATE task SET state = 'done', process = NULL, result = ?1, ended_at = coalesce(ended_at, changed_at)
WHERE kind = 'export' AND state <> 'failed';

-- name: keep_unsent
-- ?1 campaign bigint, ?2 seq bigint
-- Whatever queues the message again, also a copy of a recurring job, cancels it in the same statement.
INSERT INTO canceled_person (campaign, mobile, key, occurrence)
SELECT campaign, mobile, NULL, NULL FROM message WHERE campaign = ?1 AND seq = ?2;

-- name: no_retry
-- ?1 campaign bigint, ?2 seq bigint
-- counted: seq
-- It is not counted among those that a retry would send.
UPDATE message SET retry_helps = 0 WHERE campaign = ?1 AND seq = ?2 AND retry_helps = 1;

-- name: drop_marks
-- ?1 mobile text
-- In a campaign that may still get contacts, the order to send nothing more must know the number, as an opt-out does.
DELETE FROM canceled_person
WHERE mobile = ?1
  AND (SELECT settled FROM campaign_settled AS s WHERE s.campaign = canceled_person.campaign)
  AND NOT EXISTS (SELECT 1 FROM schedule AS s WHERE s.campaign = canceled_person.campaign AND s.next_at IS NOT NULL);

-- name: drop_marks_of_key
-- ?1 campaign bigint, ?2 key text
-- An order by the key alone, of a campaign as above. Another person with the same key still needs it.
DELETE FROM canceled_person
WHERE campaign = ?1 AND key = ?2 AND mobile IS NULL
  AND (SELECT settled FROM campaign_settled AS s WHERE s.campaign = canceled_person.campaign)
  AND NOT EXISTS (SELECT 1 FROM schedule AS s WHERE s.campaign = canceled_person.campaign AND s.next_at IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM message AS m WHERE m.campaign = canceled_person.campaign AND m.key = canceled_person.key);

-- name: empty_audit
-- ?1 mobile text
UPDATE audit SET detail = json_remove(detail, '$.mobile', '$.key', '$.words', '$.evidence')
WHERE CAST(detail ->> '$.mobile' AS text) = ?1;

-- name: empty_audit_of_key
-- ?1 campaign bigint, ?2 key text, ?3 row_key text: without the offset of a series, as an operator names it
UPDATE audit SET detail = json_remove(detail, '$.mobile', '$.key', '$.words', '$.evidence')
WHERE campaign = ?1 AND (CAST(detail ->> '$.key' AS text) = ?2 OR (CAST(detail ->> '$.key' AS text) = ?3
  AND EXISTS (SELECT 1 FROM campaign WHERE n = ?1 AND settings ->> '$.remind.series' IS NOT NULL)));

-- name: webhooks_to
-- ?1 mobile text, ?2 after bigint, ?3 until bigint
SELECT DISTINCT webhook FROM report WHERE id > ?2 AND id <= ?3 AND mobile = ?1;

-- name: raw
-- ?1 after bigint, ?2 until bigint
SELECT id, query, body FROM webhook WHERE id > ?1 AND id <= ?2 AND kind IS NOT NULL AND purged_at IS NULL;

-- name: of_others
-- ?1 webhook bigint, ?2 mobile text
-- Its text is needed while a report about somebody else may still be joined or read again.
SELECT 1
FROM report AS r LEFT JOIN message AS m ON m.campaign = r.campaign AND m.seq = r.seq
WHERE r.webhook = ?1 AND r.mobile IS DISTINCT FROM ?2 
  AND (m.seq IS NULL OR m.mobile <> 'purged-' || CAST(m.seq AS text))
UNION ALL
SELECT 1 FROM reply AS r
WHERE r.webhook = ?1 AND r.mobile <> ?2 AND r.mobile <> 'purged-' || CAST(r.id AS text)
LIMIT 1;

-- name: has_rows
-- ?1 webhook bigint
SELECT 1 FROM report WHERE webhook = ?1 UNION ALL SELECT 1 FROM reply WHERE webhook = ?1 LIMIT 1;

-- name: empty_webhook
-- ?1 webhook bigint, ?2 now bigint
UPDATE webhook SET query = '', body = x'', purged_at = ?2 WHERE id = ?1 AND kind IS NOT NULL AND purged_at IS NULL;

-- name: reports_of
-- ?1 campaign bigint, ?2 seq bigint
SELECT id, webhook, mobile, word, reason FROM report WHERE campaign = ?1 AND seq = ?2 ORDER BY id;

-- name: reports_to
-- ?1 mobile text, ?2 after bigint, ?3 until bigint
-- A waiting report without its mobile could join a message to somebody else. An empty webhook keeps it from that.
SELECT id, mobile, word, reason FROM report
WHERE id > ?2 AND id <= ?3 AND mobile = ?1
  AND (joined = 'joined' OR EXISTS (SELECT 1 FROM webhook AS w WHERE w.id = report.webhook AND w.purged_at IS NOT NULL))
ORDER BY id;

-- name: drop_failures
-- ?1 mobile text
-- Those of a suppressed number stay, because it must remain known.
DELETE FROM failure
WHERE mobile = ?1 AND mobile NOT IN (SELECT mobile FROM opt_out) AND mobile NOT IN (SELECT mobile FROM dead_number);

-- name: begin
-- ?1 campaign bigint
UPDATE campaign SET purge_seq = 0
WHERE n = ?1 AND purge_seq IS NULL AND state <> 'draft'
  AND (SELECT settled FROM campaign_settled WHERE campaign = ?1)
  AND n NOT IN (SELECT campaign FROM schedule WHERE next_at IS NOT NULL);

-- name: take_day
-- ?1 now bigint, ?2 day_ago bigint
-- A clock that was set back by more than a day does not stop it for ever.
INSERT INTO fact (name, value) VALUES ('daily_purge_at', CAST(?1 AS text))
ON CONFLICT (name) DO UPDATE SET value = excluded.value
WHERE CAST(fact.value AS bigint) <= ?2 OR CAST(fact.value AS bigint) > ?1;

-- name: under_way
-- ?1 campaign bigint
SELECT purge_seq AS seq, (SELECT coalesce(max(seq), 0) FROM message WHERE campaign = ?1) AS last
FROM campaign WHERE n = ?1 AND purge_seq IS NOT NULL AND purged_at IS NULL;

-- name: drop_failures
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint
-- Failures with an effect stay, because a suppressed number must remain known.
DELETE FROM failure
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3
  AND mobile IN (SELECT mobile FROM message WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3)
  AND mobile NOT IN (SELECT mobile FROM opt_out)
  AND mobile NOT IN (SELECT mobile FROM dead_number);

-- name: drop_outlived_by_messages
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint
-- A delivered message shows that its number lives. Without it, earlier failures would count again.
DELETE FROM failure WHERE (mobile, campaign, seq) IN (
  SELECT f.mobile, f.campaign, f.seq
  FROM message AS m CROSS JOIN failure AS f ON f.mobile = m.mobile
  WHERE m.campaign = ?1 AND m.seq BETWEEN ?2 AND ?3 AND m.delivery = 'delivered'
    AND f.at <= m.reported_at AND f.effect <> 'opted_out'
);

-- name: drop_outlived_by_replies
-- ?1 after bigint, ?2 until bigint, ?3 before bigint
-- Like a delivered message.
DELETE FROM failure WHERE (mobile, campaign, seq) IN (
  SELECT f.mobile, f.campaign, f.seq
  FROM reply AS r CROSS JOIN failure AS f ON f.mobile = r.mobile
  WHERE r.id > ?1 AND r.id <= ?2 AND r.received_at < ?3 AND r.voided_at IS NULL
    AND f.at <= r.received_at AND f.effect <> 'opted_out'
);

-- name: empty_messages
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint
-- The hash of the text goes too, because a short text with few possible names can be guessed.
UPDATE message SET mobile = 'purged-' || seq, key = '', fields = '[]', text_hash = NULL
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3;

-- name: empty_evidence
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint
UPDATE evidence SET raw = NULL, words = NULL WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3;

-- name: empty_audit
-- ?1 campaign bigint
UPDATE audit SET detail = json_remove(detail, '$.mobile', '$.key', '$.words', '$.evidence')
WHERE campaign = ?1 AND coalesce(detail ->> '$.mobile', detail ->> '$.key', detail ->> '$.words') IS NOT NULL;

-- name: drop_canceled_people
-- ?1 campaign bigint
-- Nothing of a purged campaign is sent again.
DELETE FROM canceled_person WHERE campaign = ?1;

-- name: empty_alerts
-- ?1 campaign bigint
UPDATE alert SET detail = json_remove(detail, '$.words') WHERE campaign = ?1;

-- name: advance
-- ?1 campaign bigint, ?2 seq bigint, ?3 purged_at bigint
UPDATE campaign SET purge_seq = ?2, purged_at = ?3 WHERE n = ?1;

-- name: last_ids
SELECT max(
  (SELECT coalesce(max(id), 0) FROM webhook),
  (SELECT coalesce(max(id), 0) FROM report),
  (SELECT coalesce(max(id), 0) FROM reply)
) AS last;

-- name: empty_webhooks
-- ?1 after bigint, ?2 until bigint, ?3 before bigint, ?4 now bigint
-- Unread webhooks stay.
UPDATE webhook SET query = '', body = x'', purged_at = ?4
WHERE id > ?1 AND id <= ?2 AND last_at < ?3 AND kind IS NOT NULL AND purged_at IS NULL;

-- name: reports
-- ?1 after bigint, ?2 until bigint, ?3 before bigint
SELECT id, mobile, word, reason FROM report WHERE id > ?1 AND id <= ?2 AND received_at < ?3 ORDER BY id;

-- name: mask_report
-- ?1 id bigint, ?2 word text, ?3 reason text
UPDATE report SET mobile = NULL, word = ?2, reason = ?3 WHERE id = ?1;

-- name: empty_replies
-- ?1 after bigint, ?2 until bigint, ?3 before bigint
UPDATE reply SET mobile = 'purged-' || id, text = '', detail = '{}', record_id = NULL, wish = nullif(wish, 'maybe_stop')
WHERE id > ?1 AND id <= ?2 AND received_at < ?3 AND mobile <> 'purged-' || id;

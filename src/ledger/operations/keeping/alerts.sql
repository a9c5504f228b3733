-- name: raise_finished
-- ?1 now bigint, ?2 since bigint
INSERT INTO alert (cause, about, campaign, at)
SELECT 'finished', c.id || ' ' || max(b.settled_at), c.n, ?1
FROM campaign AS c JOIN campaign_settled AS s ON s.campaign = c.n JOIN batch AS b ON b.campaign = c.n
WHERE c.last_claim_at > ?2 AND c.state IN ('running', 'paused') AND s.settled
GROUP BY c.n
ON CONFLICT DO NOTHING;

-- name: raise_paused
-- ?1 now bigint, ?2 since bigint
-- Operators know their own pauses, hours begin and end every day, and a canary's verdict has its own alert.
INSERT INTO alert (cause, about, campaign, at, detail)
SELECT 'paused', a.id, c.n, ?1, json_object('reason', c.reason, 'words', a.detail ->> '$.words')
FROM audit AS a JOIN campaign AS c ON c.n = a.campaign
WHERE a.id > (SELECT coalesce(max(id), 0) - 10000 FROM audit) AND a.at > ?2 AND a.verb IN ('pause', 'miss_start')
  AND c.state = 'paused' AND c.reason NOT IN ('operator', 'window', 'canary')
  AND c.reason = coalesce(a.detail ->> '$.reason', 'start')
ON CONFLICT DO NOTHING;

-- name: raise_canary
-- ?1 now bigint, ?2 since bigint
INSERT INTO alert (cause, about, campaign, at, detail)
SELECT 'canary_failed', campaign || ' ' || decided_at, campaign, ?1, json_object('words', why)
FROM canary WHERE verdict = 'failed' AND decided_at > ?2
ON CONFLICT DO NOTHING;

-- name: raise_approval
-- ?1 now bigint, ?2 since bigint
INSERT INTO alert (cause, about, at, detail)
SELECT 'approval_asked', id || ' ' || revision, ?1, json_object('count', 1)
FROM preparation WHERE state = 'asked' AND asked_at > ?2
ON CONFLICT DO NOTHING;

-- name: raise_approvers
-- ?1 now bigint, ?2 since bigint
-- Steps by which somebody could say yes in another one's name, while approval was needed.
INSERT INTO alert (cause, about, at, detail)
SELECT 'approvers_changed', CAST(a.id AS text), ?1, CAST(json_object('count', 1, 'by', a.by, 'step', a.verb,
  'whom', coalesce(a.detail ->> '$.user', a.detail ->> '$.token'), 'role', a.detail ->> '$.role') AS text)
FROM audit AS a
WHERE a.id > (SELECT coalesce(max(id), 0) - 10000 FROM audit) AND a.at > ?2
  AND a.verb IN ('approval', 'make_link', 'set_role', 'add_user', 'add_token')
  AND (a.detail ->> '$.approval' = 'on' OR (a.verb = 'approval' AND a.detail ->> '$.is' = 'off'))
ON CONFLICT (cause, about) DO NOTHING;

-- name: raise_credit
-- ?1 now bigint, ?2 since bigint, ?3 limit bigint
-- One alert until the credit was above the limit again.
INSERT INTO alert (cause, about, at, detail)
SELECT 'low_credit', account || ' ' || coalesce((SELECT max(id) FROM reading AS r WHERE r.account = latest.account AND r.credit >= ?3), 0),
  ?1, json_object('creditMicro', credit)
FROM (SELECT account, credit, row_number() OVER (PARTITION BY account ORDER BY at DESC, id DESC) AS age FROM reading WHERE at > ?2) AS latest
WHERE age = 1 AND credit < ?3
ON CONFLICT DO NOTHING;

-- name: raise_uncertain
-- ?1 now bigint, ?2 since bigint, ?3 least bigint
INSERT INTO alert (cause, about, campaign, at)
SELECT 'uncertain', m.campaign, m.campaign, ?1
FROM message AS m INDEXED BY message_uncertain WHERE m.state = 'uncertain' AND m.written_off = 0
GROUP BY m.campaign
HAVING count(*) >= ?3 AND max(m.settled_at) > ?2
ON CONFLICT DO NOTHING;

-- name: raise_answers
-- ?1 now bigint, ?2 since bigint, ?3 hour_ago bigint
-- One alert of this cause an hour, about all that is new since the last one.
INSERT INTO alert (cause, about, at, detail)
SELECT 'unknown_answer', max(id), ?1, json_object('count', count(*), 'words', substr(min(words), 1, 200))
FROM answer
WHERE meaning IS NULL AND first_at > ?2
  AND id > (SELECT coalesce(max(CAST(about AS bigint)), 0) FROM alert WHERE cause = 'unknown_answer')
HAVING count(*) > 0 AND NOT EXISTS (SELECT 1 FROM alert WHERE cause = 'unknown_answer' AND at > ?3)
ON CONFLICT DO NOTHING;

-- name: raise_words
-- ?1 now bigint, ?2 since bigint, ?3 hour_ago bigint
INSERT INTO alert (cause, about, at, detail)
SELECT 'unknown_word', max(first), ?1, json_object('count', count(*), 'words', substr(min(word), 1, 200))
FROM (SELECT word, min(id) AS first FROM report WHERE known = 0 GROUP BY word HAVING max(received_at) > ?2) AS unknown
WHERE first > (SELECT coalesce(max(CAST(about AS bigint)), 0) FROM alert WHERE cause = 'unknown_word')
HAVING count(*) > 0 AND NOT EXISTS (SELECT 1 FROM alert WHERE cause = 'unknown_word' AND at > ?3)
ON CONFLICT DO NOTHING;

-- name: raise_not_understood
-- ?1 now bigint, ?2 hour_ago bigint
-- All that no alert has counted yet. A mark on each row, because an older webhook may be read later.
INSERT INTO alert (cause, about, at, detail)
SELECT 'not_understood', CAST(?1 AS text), ?1, json_object('count', count(*))
FROM webhook INDEXED BY webhook_to_alert
WHERE kind = 'not_understood' AND alerted = 0 AND voided_at IS NULL
HAVING count(*) > 0 AND NOT EXISTS (SELECT 1 FROM alert WHERE cause = 'not_understood' AND at > ?2)
ON CONFLICT DO NOTHING;

-- name: mark_not_understood
UPDATE webhook INDEXED BY webhook_to_alert SET alerted = 1
WHERE kind = 'not_understood' AND alerted = 0 AND voided_at IS NULL;

-- name: raise_maybe_stop
-- ?1 now bigint, ?2 day_ago bigint
INSERT INTO alert (cause, about, at, detail)
SELECT 'maybe_stop', CAST(?1 AS text), ?1, json_object('count', count(*))
FROM reply_in_doubt
WHERE alerted = 0
HAVING count(*) > 0 AND NOT EXISTS (SELECT 1 FROM alert WHERE cause = 'maybe_stop' AND at > ?2)
ON CONFLICT DO NOTHING;

-- name: mark_maybe_stop
UPDATE reply SET alerted = 1 WHERE wish = 'maybe_stop' AND alerted = 0;

-- name: raise_silence
-- ?1 now bigint, ?2 since bigint, ?3 silent_since bigint, ?4 slack bigint
-- The campaign was still sending for a while after the last report that found its message, and that report is old.
-- Only the latest reports are looked at: where none of so many found its message, none did for long.
INSERT INTO alert (cause, about, campaign, at)
SELECT 'no_reports', c.n, c.n, ?1
FROM campaign AS c, (SELECT coalesce(max(received_at), 0) AS at FROM (
  SELECT received_at FROM report
  WHERE id > (SELECT max(id) FROM report) - 200000 AND joined = 'joined'
  ORDER BY id DESC LIMIT 1
) AS latest) AS last
WHERE c.last_claim_at > ?2 AND c.first_claim_at <= ?3 AND last.at <= ?3 AND c.last_claim_at > last.at + ?4
  AND EXISTS (SELECT 1 FROM message WHERE campaign = c.n AND state = 'sent')
ON CONFLICT DO NOTHING;

-- name: raise_service
-- ?1 now bigint, ?2 ill_before bigint, ?3 alive_since bigint
-- One alert an outage, whichever workers see it.
INSERT INTO alert (cause, about, at, detail)
SELECT 'service_lost', since, ?1, json_object('since', since)
FROM (SELECT min(ill_since) AS since FROM worker WHERE ended_at IS NULL AND heartbeat_at > ?3) AS outage
WHERE since <= ?2 AND NOT EXISTS (SELECT 1 FROM alert WHERE cause = 'service_lost' AND at >= since)
ON CONFLICT DO NOTHING;

-- name: address
-- ?1 channel text, ?2 since bigint
-- Settings name two channels; every other one is an endpoint, which may be removed by now.
INSERT INTO alert_delivery (alert, channel)
SELECT a.id, ?1 FROM alert AS a LEFT JOIN alert_endpoint AS e ON e.id = ?1
WHERE a.at > ?2 AND (?1 IN ('webhook', 'mail')
  OR (a.id > e.after_alert AND (e.causes IS NULL OR e.causes LIKE '%"' || a.cause || '"%')))
ON CONFLICT (channel, alert) DO NOTHING;

-- name: due
-- ?1 channel text, ?2 now bigint, ?3 urgent causes text (JSON), ?4 urgent_since bigint, ?5 since bigint
-- All that the channel has not taken yet, of each cause that has one to try now and may go out again.
WITH open AS (
  SELECT a.*, d.tries, d.next_at, a.cause IN (SELECT value FROM json_each(?3)) AS urgent
  FROM alert_delivery AS d JOIN alert AS a ON a.id = d.alert
  WHERE d.channel = ?1 AND d.delivered_at IS NULL AND d.held_until <= ?2
)
SELECT open.id, tries, cause, at, detail, open.campaign AS n, c.id AS "campaignId", c.name
FROM open LEFT JOIN campaign AS c ON c.n = open.campaign
WHERE cause IN (SELECT cause FROM open WHERE next_at <= ?2) AND next_at < 9007199254740991 AND NOT EXISTS (
  SELECT 1 FROM alert_delivery AS other JOIN alert AS same ON same.id = other.alert
  WHERE other.channel = ?1 AND other.delivered_at > iif(urgent, ?4, ?5) AND same.cause = open.cause
)
ORDER BY urgent DESC, min(open.id) OVER (PARTITION BY cause), open.id;

-- name: hold
-- ?1 channel text, ?2 alert bigint, ?3 held_until bigint
UPDATE alert_delivery SET held_until = ?3 WHERE channel = ?1 AND alert = ?2;

-- name: record_try
-- ?1 alert bigint, ?2 channel text, ?3 delivered_at bigint, ?4 next_at bigint
UPDATE alert_delivery
SET delivered_at = ?3, next_at = ?4, held_until = 0, tries = tries + 1
WHERE alert = ?1 AND channel = ?2;

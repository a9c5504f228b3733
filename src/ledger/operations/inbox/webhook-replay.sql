-- name: last_webhook
SELECT coalesce(max(id), 0) AS last FROM webhook;

-- name: voidable
-- ?1 ip text, ?2 since bigint, ?3 after bigint, ?4 until bigint
-- A report is voided by its last arrival. A reply is voided by its first one, so earlier opt-outs stay.
SELECT id FROM webhook
WHERE id > ?3 AND id <= ?4 AND ip = ?1 AND iif(urgent = 1, received_at, last_at) >= ?2 AND voided_at IS NULL;

-- name: mark_void
-- ?1 webhook bigint, ?2 voided_at bigint
-- An unread webhook is not read any more.
UPDATE webhook SET voided_at = ?2, kind = coalesce(kind, 'other') WHERE id = ?1;

-- name: stored_webhooks
-- ?1 after bigint, ?2 limit bigint
SELECT id AS webhook, iif(urgent = 1, last_at, received_at) AS "receivedAt", method, content_type AS "contentType", query, body, ip
FROM webhook
WHERE id > ?1 AND kind IS NOT NULL AND voided_at IS NULL AND purged_at IS NULL
ORDER BY id
LIMIT ?2;

-- name: set_kind_again
-- ?1 webhook bigint, ?2 kind text
UPDATE webhook SET kind = ?2
WHERE id = ?1 AND kind IS NOT NULL AND voided_at IS NULL AND purged_at IS NULL
RETURNING iif(urgent = 1, last_at, received_at) AS "receivedAt", received_at AS "firstAt";

-- name: reports_of_webhook
-- ?1 webhook bigint
SELECT messageid AS "messageId", campaign, seq FROM report WHERE webhook = ?1;

-- name: drop_reports
-- ?1 webhook bigint
DELETE FROM report WHERE webhook = ?1;

-- name: proved_by_report
-- ?1 messageid text
SELECT m.campaign, m.seq
FROM message_id AS i CROSS JOIN message AS m ON m.campaign = i.campaign AND m.seq = i.seq
WHERE i.plain_id = ltrim(lower(?1), '0') AND m.messageid = ?1 AND m.basis = 'report';

-- name: unproved
-- ?1 campaign bigint, ?2 seq bigint
SELECT messageid AS "messageId" FROM message AS m
WHERE m.campaign = ?1 AND m.seq = ?2 AND m.basis = 'report'
  AND NOT EXISTS (SELECT 1 FROM report AS r WHERE r.campaign = m.campaign AND r.seq = m.seq);

-- name: take_back
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint
-- counted: seq
-- The assumed cost stays until the next reading, as for any uncertain message. A trigger forbids this for
-- messages that something else than a report proved.
UPDATE message
SET state = 'uncertain', actor = 'operator', reason = 'report taken back', settled_at = ?3, messageid = NULL,
  network = NULL, basis = NULL, delivery = NULL, delivery_reason = NULL, conflict = 0, reported_at = NULL
WHERE campaign = ?1 AND seq = ?2
RETURNING mobile;

-- name: unjoin
-- ?1 campaign bigint, ?2 seq bigint
UPDATE report SET joined = 'waiting', campaign = NULL, seq = NULL WHERE campaign = ?1 AND seq = ?2;

-- name: clear_conflict
-- ?1 campaign bigint, ?2 seq bigint
UPDATE message SET flags = nullif(trim(replace(',' || flags || ',', ',id_conflict,', ','), ','), '')
WHERE campaign = ?1 AND seq = ?2 AND instr(coalesce(flags, ''), 'id_conflict') > 0;

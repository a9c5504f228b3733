-- name: anything_unjoined
SELECT 1 FROM report INDEXED BY report_unjoined WHERE joined <> 'joined' LIMIT 1;

-- name: flag_conflict
-- ?1 campaign bigint, ?2 seq bigint
UPDATE message
SET flags = CASE WHEN flags IS NULL THEN 'id_conflict' ELSE flags || ',id_conflict' END
WHERE campaign = ?1 AND seq = ?2 AND instr(coalesce(flags, ''), 'id_conflict') = 0;

-- name: unjoined_of_families
-- ?1 plain_ids text
-- plain_ids: a JSON array.
SELECT r.id, r.messageid AS "messageId", r.delivery, r.mobile, r.network, r.received_at AS "receivedAt", r.joined, r.campaign, r.seq
FROM json_each(?1) AS n CROSS JOIN report AS r INDEXED BY report_unjoined ON r.plain_id = n.value AND r.joined <> 'joined'
ORDER BY r.id;

-- name: reports_of_family
-- ?1 messageid text
-- A report keeps its place once a purge has removed a mobile that decided it.
SELECT r.id, r.messageid AS "messageId", r.delivery, r.mobile, r.network, r.received_at AS "receivedAt", r.joined, r.campaign, r.seq
FROM report AS r INDEXED BY report_unjoined JOIN webhook AS w ON w.id = r.webhook
WHERE r.plain_id = ltrim(lower(?1), '0') AND r.joined <> 'joined' AND w.purged_at IS NULL
UNION ALL
SELECT r.id, r.messageid, r.delivery, r.mobile, r.network, r.received_at, r.joined, r.campaign, r.seq
FROM message_id AS i CROSS JOIN message AS m ON m.campaign = i.campaign AND m.seq = i.seq
CROSS JOIN report AS r INDEXED BY report_message ON r.campaign = i.campaign AND r.seq = i.seq
CROSS JOIN webhook AS w ON w.id = r.webhook
WHERE i.plain_id = ltrim(lower(?1), '0') AND m.mobile <> 'purged-' || m.seq AND w.purged_at IS NULL;

-- name: reports_of_family_to
-- ?1 messageid text, ?2 mobile text
-- The same for the reports that name a mobile, and for those joined to a message to it.
SELECT r.id, r.messageid AS "messageId", r.delivery, r.mobile, r.network, r.received_at AS "receivedAt", r.joined, r.campaign, r.seq
FROM report AS r INDEXED BY report_unjoined_to JOIN webhook AS w ON w.id = r.webhook
WHERE r.plain_id = ltrim(lower(?1), '0') AND r.mobile = ?2 AND r.joined <> 'joined' AND w.purged_at IS NULL
UNION ALL
SELECT r.id, r.messageid, r.delivery, r.mobile, r.network, r.received_at, r.joined, r.campaign, r.seq
FROM campaign AS c CROSS JOIN message AS o INDEXED BY message_identity ON o.campaign = c.n AND o.mobile = ?2
CROSS JOIN message_id AS i ON i.plain_id = ltrim(lower(?1), '0') AND i.campaign = o.campaign AND i.seq = o.seq
CROSS JOIN report AS r INDEXED BY report_message ON r.campaign = i.campaign AND r.seq = i.seq
CROSS JOIN webhook AS w ON w.id = r.webhook
WHERE w.purged_at IS NULL;

-- name: set_place
-- ?1 report bigint, ?2 joined text, ?3 campaign bigint, ?4 seq bigint
UPDATE report SET joined = ?2, campaign = ?3, seq = ?4 WHERE id = ?1;

-- name: sole_of_family
-- ?1 messageid text
-- A message of the id's family, and whether the family has another one.
SELECT i.campaign, i.seq, m.messageid AS "messageId", m.mobile, CASE WHEN m.lost <> 0 THEN 0 ELSE coalesce(m.claimed_at, 0) END AS "begunAt",
  iif(EXISTS (SELECT 1 FROM message_id AS t WHERE t.plain_id = i.plain_id AND (t.campaign <> i.campaign OR t.seq <> i.seq)), 1, 0) AS shared
FROM message_id AS i CROSS JOIN message AS m ON m.campaign = i.campaign AND m.seq = i.seq
WHERE i.plain_id = ltrim(lower(?1), '0')
ORDER BY i.campaign, i.seq
LIMIT 1;

-- name: delivered_messages
-- ?1 messages text
-- messages: a JSON array of campaign and seq. The sent ones, with all that their reports say of their delivery.
-- A word that a person mapped to a failure is its reason when no other reason came.
SELECT m.campaign, m.seq, m.mobile, r.delivery, r.effect, r.received_at AS "receivedAt",
  CASE r.delivery WHEN 'delivered' THEN NULL
    WHEN 'undelivered' THEN CASE r.known WHEN 0 THEN coalesce(r.reason, r.word) ELSE r.reason END
    ELSE r.reason
  END AS reason
FROM json_each(?1) AS n
CROSS JOIN message AS m ON m.campaign = CAST(n.value ->> '$[0]' AS bigint) AND m.seq = CAST(n.value ->> '$[1]' AS bigint)
LEFT JOIN report AS r ON r.campaign = m.campaign AND r.seq = m.seq AND r.campaign IS NOT NULL AND r.delivery IS NOT NULL
WHERE m.state = 'sent'
ORDER BY m.campaign, m.seq, r.id;

-- name: set_delivery
-- ?1 campaign bigint, ?2 seq bigint, ?3 delivery text, ?4 delivery_reason text, ?5 conflict bigint, ?6 reported_at bigint
-- counted: seq
UPDATE message SET delivery = ?3, delivery_reason = ?4, conflict = ?5, reported_at = ?6
WHERE campaign = ?1 AND seq = ?2 AND state = 'sent';

-- name: strangers_of
-- ?1 webhook bigint
-- The reports of a webhook that may decide an uncertain message.
SELECT id, messageid AS "messageId", delivery, mobile, network, received_at AS "receivedAt", joined
FROM report
WHERE webhook = ?1 AND joined <> 'joined' AND mobile IS NOT NULL AND delivery IS NOT NULL
ORDER BY id;

-- name: uncertain_to
-- ?1 mobile text, ?2 since bigint
-- Uncertain messages to a number, also those begun after the report, because the clock may have been set
-- back.
SELECT campaign, seq, reserved, claimed_at AS "claimedAt"
FROM message INDEXED BY message_uncertain
WHERE state = 'uncertain' AND mobile = ?1 AND claimed_at >= ?2
LIMIT 2;

-- name: sending_to
-- ?1 mobile text
-- While a message to the number is in flight, a report with an unknown id may belong to it.
SELECT 1
FROM campaign AS c CROSS JOIN message AS m INDEXED BY message_identity ON m.campaign = c.n AND m.mobile = ?1
WHERE m.state = 'sending' AND EXISTS (SELECT 1 FROM batch WHERE batch.campaign = c.n AND settled_at IS NULL)
LIMIT 1;

-- name: unnamed_to
-- ?1 mobile text, ?2 since bigint, ?3 campaign bigint, ?4 seq bigint
-- Another message to the number in the span, without an id because a person decided it: called sent, or
-- requeued after an uncertain attempt. A report with an unknown id may belong to it.
SELECT 1
FROM campaign AS c INDEXED BY campaign_claimed CROSS JOIN message AS m INDEXED BY message_identity ON m.campaign = c.n AND m.mobile = ?1
WHERE c.last_claim_at >= ?2 AND (c.n <> ?3 OR m.seq <> ?4) AND (
  (m.state = 'sent' AND (m.basis = 'operator' OR m.basis = 'mapping') AND m.messageid IS NULL AND m.claimed_at >= ?2)
  OR EXISTS (
    SELECT 1 FROM attempt AS a
    WHERE a.campaign = m.campaign AND a.seq = m.seq AND a.outcome = 'uncertain' AND a.claimed_at >= ?2
  )
)
LIMIT 1;

-- name: ids_to
-- ?1 mobile text, ?2 since bigint
SELECT m.messageid AS "messageId"
FROM campaign AS c INDEXED BY campaign_claimed CROSS JOIN message AS m INDEXED BY message_identity ON m.campaign = c.n AND m.mobile = ?1
WHERE c.last_claim_at >= ?2 AND m.messageid IS NOT NULL AND m.claimed_at >= ?2;

-- name: sent_by_report
-- ?1 campaign bigint, ?2 seq bigint, ?3 messageid text, ?4 network text, ?5 now bigint
-- counted: seq
UPDATE message
SET state = 'sent', actor = 'joiner', reason = NULL, reserved = 0, settled_at = ?5, messageid = ?3, network = ?4,
  basis = 'report', delivery = 'pending', written_off = 0
WHERE campaign = ?1 AND seq = ?2 AND state = 'uncertain';

-- name: unjoined_after
-- ?1 after_plain_id text, ?2 after_id bigint, ?3 count bigint
-- An ambiguous report may still decide an uncertain message to its mobile.
SELECT id, plain_id AS "plainId", messageid AS "messageId", delivery, mobile, network, received_at AS "receivedAt", joined
FROM report INDEXED BY report_unjoined
WHERE joined <> 'joined' AND (plain_id, id) > (?1, ?2)
ORDER BY plain_id, id
LIMIT ?3 + 0;

-- name: add_report
-- ?1 webhook bigint, ?2 messageid text, ?3 word text, ?4 delivery text, ?5 reason text, ?6 mobile text, ?7 network text, ?8 at bigint, ?9 received_at bigint, ?10 effect text,
-- ?11 known bigint, ?12 joined text, ?13 campaign bigint, ?14 seq bigint
INSERT INTO report (webhook, messageid, word, delivery, reason, mobile, network, at, received_at, effect, known, joined, campaign, seq)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14);

-- name: mapped_word
-- ?1 letters text
SELECT delivery FROM report_word WHERE letters = ?1;

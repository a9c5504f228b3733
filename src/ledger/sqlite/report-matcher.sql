-- name: anything_waiting
SELECT 1 FROM report INDEXED BY report_waiting WHERE joined = 'waiting' LIMIT 1;

-- name: flag_conflict
-- ?1 campaign, ?2 seq
UPDATE message
SET flags = CASE WHEN flags IS NULL THEN 'id_conflict' ELSE flags || ',id_conflict' END
WHERE campaign = ?1 AND seq = ?2 AND instr(coalesce(flags, ''), 'id_conflict') = 0;

-- name: joined_reports
-- ?1 campaign, ?2 seq, ?3 messageid
SELECT id FROM report WHERE campaign = ?1 AND seq = ?2 AND messageid = ?3;

-- name: waiting_with_id
-- ?1 messageid
SELECT id, mobile FROM report WHERE messageid = ?1 AND joined = 'waiting';

-- name: mobile_of
-- ?1 campaign, ?2 seq
SELECT mobile FROM message WHERE campaign = ?1 AND seq = ?2;

-- name: set_ambiguous
-- ?1 report
UPDATE report SET joined = 'ambiguous', campaign = NULL, seq = NULL WHERE id = ?1;

-- name: set_joined
-- ?1 report, ?2 campaign, ?3 seq
UPDATE report SET joined = 'joined', campaign = ?2, seq = ?3 WHERE id = ?1;

-- name: reports_of
-- ?1 campaign, ?2 seq
-- A word that a person mapped to a failure is its reason when no other reason came.
SELECT delivery, effect, received_at,
  CASE delivery WHEN 'delivered' THEN NULL
    WHEN 'undelivered' THEN CASE known WHEN 0 THEN coalesce(reason, word) ELSE reason END
    ELSE reason
  END AS reason
FROM report WHERE campaign = ?1 AND seq = ?2 AND delivery IS NOT NULL;

-- name: set_delivery
-- ?1 campaign, ?2 seq, ?3 delivery, ?4 delivery_reason, ?5 conflict, ?6 reported_at
UPDATE message SET delivery = ?3, delivery_reason = ?4, conflict = ?5, reported_at = ?6
WHERE campaign = ?1 AND seq = ?2 AND state = 'sent'
RETURNING mobile;

-- name: uncertain_to
-- ?1 mobile, ?2 since
-- Uncertain messages to a number, also those begun after the report, because the clock may have been set
-- back.
SELECT campaign, seq, reserved, claimed_at AS claimedAt
FROM message INDEXED BY message_uncertain
WHERE state = 'uncertain' AND mobile = ?1 AND claimed_at >= ?2
LIMIT 2;

-- name: sending_to
-- ?1 mobile
-- While a message to the number is in flight, a report with an unknown id may belong to it.
SELECT 1
FROM campaign AS c CROSS JOIN identity AS i ON i.campaign = c.n AND i.mobile = ?1
CROSS JOIN message AS m ON m.campaign = i.campaign AND m.seq = i.seq
WHERE m.state = 'sending' AND EXISTS (SELECT 1 FROM batch WHERE batch.campaign = c.n AND settled_at IS NULL)
LIMIT 1;

-- name: unnamed_to
-- ?1 mobile, ?2 since, ?3 campaign, ?4 seq
-- Another message to the number in the span, without an id because a person decided it: called sent, or
-- requeued after an uncertain attempt. A report with an unknown id may belong to it.
SELECT 1
FROM campaign AS c INDEXED BY campaign_claimed CROSS JOIN identity AS i ON i.campaign = c.n AND i.mobile = ?1
CROSS JOIN message AS m ON m.campaign = i.campaign AND m.seq = i.seq
WHERE c.last_claim_at >= ?2 AND (c.n <> ?3 OR m.seq <> ?4) AND (
  (m.state = 'sent' AND (m.basis = 'operator' OR m.basis = 'mapping') AND m.messageid IS NULL AND m.claimed_at >= ?2)
  OR EXISTS (
    SELECT 1 FROM attempt AS a
    WHERE a.campaign = m.campaign AND a.seq = m.seq AND a.outcome = 'uncertain' AND a.claimed_at >= ?2
  )
)
LIMIT 1;

-- name: sent_by_report
-- ?1 campaign, ?2 seq, ?3 messageid, ?4 network, ?5 now
UPDATE message
SET state = 'sent', actor = 'joiner', reason = NULL, reserved = 0, settled_at = ?5, messageid = ?3, network = ?4,
  basis = 'report', delivery = 'pending', written_off = 0
WHERE campaign = ?1 AND seq = ?2 AND state = 'uncertain';

-- name: waiting_after
-- ?1 after_messageid, ?2 after_id, ?3 count
SELECT id, messageid AS messageId, delivery, mobile, network, received_at AS receivedAt
FROM report INDEXED BY report_waiting
WHERE joined = 'waiting' AND (messageid, id) > (?1, ?2)
ORDER BY messageid, id
LIMIT ?3 + 0;

-- name: add_report
-- ?1 webhook, ?2 messageid, ?3 word, ?4 delivery, ?5 reason, ?6 mobile, ?7 network, ?8 at, ?9 received_at, ?10 effect,
-- ?11 known
INSERT INTO report (webhook, messageid, word, delivery, reason, mobile, network, at, received_at, effect, known, joined)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'waiting');

-- name: mapped_word
-- ?1 letters
SELECT delivery FROM report_word WHERE letters = ?1;

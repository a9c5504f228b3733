-- name: transitions
SELECT from_state, to_state, actor FROM transition ORDER BY 1, 2, 3;

-- name: guards
-- The indexes and triggers that stop what must not happen. A ledger without one of them proves nothing.
SELECT value AS row, 'missing' AS detail
FROM json_each('["identity", "campaign_identified", "message_purged", "message_left", "identity_kept", "message_born", "message_transition", "message_identity_fixed", "message_kept",
  "audit_kept_update", "audit_kept_delete", "message_taken_back", "opt_out_event_kept_update",
  "opt_out_event_kept_delete", "campaign_purge_settled", "batch_purged"]')
WHERE value NOT IN (SELECT name FROM sqlite_schema);

-- name: sums
-- ?1 campaign
-- One pass, so that the sums and the totals they are held against are of one moment. Rows come by campaign, unsorted.
SELECT campaign, count(*) AS messages, min(seq) AS first, max(seq) AS last,
  sum(state = 'sending') AS sending, sum(counted) AS counted, sum(reserved) AS reserved,
  sum(CASE WHEN state = 'sending' THEN reserved ELSE 0 END) AS sendingReserved,
  sum(CASE WHEN state = 'sent' THEN cost ELSE 0 END) AS charged
FROM message WHERE campaign = ?1 OR ?1 IS NULL
GROUP BY campaign;

-- name: campaign_totals
-- ?1 campaign
SELECT n, id, account, spent, reserved, (SELECT sum(planned) FROM upload WHERE campaign = n) AS planned,
  (SELECT count(*) FROM identity WHERE identity.campaign = n) AS identities
FROM campaign WHERE state <> 'draft' AND (n = ?1 OR ?1 IS NULL)
ORDER BY n;

-- name: account_totals
SELECT client_id AS account, spent, reserved, in_flight AS inFlight FROM account ORDER BY client_id;

-- name: batch_gaps
-- ?1 campaign, ?2 limit
-- Batches follow one another without gap or overlap, from the first message to the last.
SELECT 'batch ' || id AS row, 'messages ' || first_seq || ' to ' || last_seq || ' follow ' || before AS detail
FROM (
  SELECT id, first_seq, last_seq, lag(last_seq, 1, 0) OVER (ORDER BY first_seq) AS before
  FROM batch WHERE campaign = ?1
)
WHERE first_seq <> before + 1 OR last_seq < first_seq
LIMIT ?2;

-- name: batch_end
-- ?1 campaign
SELECT coalesce(max(last_seq), 0) AS last FROM batch WHERE campaign = ?1;

-- name: settled_hints
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 limit
SELECT 'batch ' || b.id AS row, 'is settled, yet message ' || m.seq || ' is ' || m.state AS detail
FROM batch AS b JOIN message AS m
  ON m.campaign = b.campaign AND m.seq BETWEEN max(b.first_seq, ?2) AND min(b.last_seq, ?3)
WHERE b.campaign = ?1 AND b.settled_at IS NOT NULL AND b.first_seq <= ?3 AND b.last_seq >= ?2
  AND m.state IN ('queued', 'sending')
LIMIT ?4;

-- name: unreapable
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 limit
-- Whoever dies with something `sending` is found by its hold on the batch.
SELECT 'message ' || m.seq AS row, 'is sending by worker ' || m.worker || ', which nobody will end' AS detail
FROM message AS m
WHERE m.campaign = ?1 AND m.seq BETWEEN ?2 AND ?3 AND m.state = 'sending'
  AND NOT EXISTS (
    SELECT 1
    FROM hold AS h JOIN batch AS b ON b.id = h.batch
    WHERE h.worker = m.worker AND b.campaign = m.campaign AND m.seq BETWEEN b.first_seq AND b.last_seq
  )
LIMIT ?4;

-- name: identities
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 limit
-- No two messages of a campaign are for the same number, key and occurrence.
SELECT 'message ' || seq AS row, 'has no identity of its own' AS detail
FROM message AS m
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND NOT EXISTS (
  SELECT 1 FROM identity AS i
  WHERE i.campaign = m.campaign AND i.mobile = m.mobile AND i.key = m.key AND i.occurrence = m.occurrence AND i.seq = m.seq
)
LIMIT ?4;

-- name: odd_messages
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 limit
SELECT 'message ' || seq AS row,
  CASE
    WHEN cost < 0 OR counted < 0 OR reserved < 0 THEN 'has a negative amount'
    WHEN state = 'sent' AND messageid IS NULL AND basis <> 'operator' THEN 'was sent without a messageid'
    WHEN state = 'sent' AND cost IS NOT NULL AND counted <> cost THEN 'cost ' || cost || ' but counts ' || counted
    WHEN state <> 'sent' AND cost IS NOT NULL THEN 'is ' || state || ' and has a cost'
    WHEN state NOT IN ('sent', 'uncertain') AND counted <> 0 THEN 'is ' || state || ' and counts as spent'
    WHEN state IN ('sent', 'rejected', 'uncertain') AND attempt = 0 THEN 'is ' || state || ' without an attempt'
    ELSE 'is ' || state || ' since never'
  END AS detail
FROM message
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND (
  cost < 0 OR counted < 0 OR reserved < 0
  OR (state = 'sent' AND ((messageid IS NULL AND basis <> 'operator') OR (cost IS NOT NULL AND counted <> cost)))
  OR (state <> 'sent' AND cost IS NOT NULL)
  OR (state NOT IN ('sent', 'uncertain') AND counted <> 0)
  OR (state IN ('sent', 'rejected', 'uncertain') AND attempt = 0)
  OR (state NOT IN ('queued', 'sending') AND settled_at IS NULL)
)
LIMIT ?4;

-- name: attempts
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 limit
-- Every attempt but the latest stands in `attempt`.
SELECT 'message ' || seq AS row, 'is at attempt ' || attempt || ', ' || earlier || ' earlier ones are recorded' AS detail
FROM (
  SELECT seq, attempt,
    (SELECT count(*) FROM attempt AS a WHERE a.campaign = m.campaign AND a.seq = m.seq AND a.number < m.attempt) AS earlier
  FROM message AS m
  WHERE m.campaign = ?1 AND m.seq BETWEEN ?2 AND ?3 AND m.attempt > 1
)
WHERE earlier <> attempt - 1
LIMIT ?4;

-- name: delivery_fold
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 limit
-- Delivery is the highest rank of all joined reports, whatever their order; both finals make a conflict.
SELECT 'message ' || m.seq AS row,
  'is ' || coalesce(m.delivery, m.state) || CASE m.conflict WHEN 1 THEN ' in conflict' ELSE '' END || ', its reports say '
    || CASE f.rank WHEN 2 THEN 'delivered' WHEN 1 THEN 'undelivered' ELSE 'pending' END
    || CASE f.both WHEN 1 THEN ' in conflict' ELSE '' END AS detail
FROM (
  SELECT seq, max(CASE delivery WHEN 'delivered' THEN 2 WHEN 'undelivered' THEN 1 ELSE 0 END) AS rank,
    max(delivery IS 'delivered') AND max(delivery IS 'undelivered') AS both
  FROM report
  WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND joined = 'joined'
  GROUP BY seq
) AS f JOIN message AS m ON m.campaign = ?1 AND m.seq = f.seq
WHERE m.conflict <> f.both
  OR CASE m.delivery WHEN 'delivered' THEN 2 WHEN 'undelivered' THEN 1 WHEN 'pending' THEN 0 ELSE -1 END <> f.rank
LIMIT ?4;

-- name: unfounded_delivery
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 limit
SELECT 'message ' || seq AS row, 'is ' || delivery || ' without a report that says so' AS detail
FROM message AS m
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND (delivery IN ('delivered', 'undelivered') OR conflict = 1)
  AND NOT EXISTS (SELECT 1 FROM report AS r WHERE r.campaign = m.campaign AND r.seq = m.seq AND r.joined = 'joined')
LIMIT ?4;

-- name: lost_reports
-- ?1 limit
SELECT 'report ' || r.id AS row, 'is joined to message ' || r.seq || ' of campaign ' || r.campaign || ', '
    || CASE WHEN m.seq IS NULL THEN 'which does not exist' ELSE 'which has another messageid' END AS detail
FROM report AS r LEFT JOIN message AS m ON m.campaign = r.campaign AND m.seq = r.seq
WHERE r.joined = 'joined' AND (m.seq IS NULL OR m.messageid IS NOT r.messageid)
LIMIT ?1;

-- name: repeated_ids
-- ?1 limit
-- A provider that repeats an id is flagged on every message that has it, for a report with that id proves nothing.
SELECT 'message ' || m.seq AS row, 'shares its messageid with another and is not flagged' AS detail, m.campaign
FROM (SELECT messageid FROM message WHERE messageid IS NOT NULL GROUP BY messageid HAVING count(*) > 1) AS twice
JOIN message AS m ON m.messageid = twice.messageid
WHERE instr(',' || coalesce(m.flags, '') || ',', ',id_conflict,') = 0
LIMIT ?1;

-- name: unauthorised
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 limit
-- An attempt that may have reached somebody is followed by another one only where a person asked for it.
SELECT 'message ' || seq AS row, 'was tried again after it was ' || outcome || ', and nobody asked for it' AS detail
FROM attempt
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND outcome <> 'queued' AND NOT EXISTS (
  SELECT 1 FROM audit
  WHERE audit.campaign = ?1 AND (
    (outcome = 'rejected' AND verb = 'retry')
    OR (outcome = 'uncertain' AND verb = 'resolve' AND json_extract(audit.detail, '$.decision') = 'not_sent')
  )
)
LIMIT ?4;

-- name: unfounded_sent
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 limit
-- A report that named the number stays the ground when a later message got the same id and made it ambiguous.
SELECT 'message ' || seq AS row, 'is sent by the word of a report that is not there' AS detail
FROM message AS m
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND basis = 'report'
  AND NOT EXISTS (SELECT 1 FROM report AS r WHERE r.campaign = m.campaign AND r.seq = m.seq AND r.joined = 'joined')
  AND NOT (
    instr(coalesce(m.flags, ''), 'id_conflict') > 0
    AND m.messageid IN (SELECT messageid FROM report WHERE joined = 'ambiguous')
  )
LIMIT ?4;

-- name: dead_leases
-- ?1 limit
-- Whoever ends gives its batches back in the same commit: else nobody would send them.
SELECT 'batch ' || batch.id AS row, 'is leased by worker ' || worker || ', which has ended' AS detail
FROM batch JOIN worker ON worker.id = batch.worker
WHERE ended_at IS NOT NULL
LIMIT ?1;

-- name: before_canary
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 limit
-- While the gate is shut only the first messages were ever begun.
SELECT 'message ' || m.seq AS row, 'was begun before the canary let it go' AS detail
FROM canary AS k JOIN message AS m ON m.campaign = k.campaign AND m.seq > k.messages
WHERE k.campaign = ?1 AND coalesce(k.verdict, 'failed') = 'failed' AND m.seq BETWEEN ?2 AND ?3 AND m.attempt > 0
LIMIT ?4;

-- name: settled_hints
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 limit bigint
SELECT 'batch ' || b.id AS row, 'is settled, yet message ' || m.seq || ' is ' || m.state AS detail
FROM batch AS b JOIN message AS m
  ON m.campaign = b.campaign AND m.seq BETWEEN max(b.first_seq, ?2) AND min(b.last_seq, ?3)
WHERE b.campaign = ?1 AND b.settled_at IS NOT NULL AND b.first_seq <= ?3 AND b.last_seq >= ?2
  AND m.state IN ('queued', 'sending')
LIMIT ?4;

-- name: unreapable
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 limit bigint
-- The reaper finds the `sending` message of a dead worker by its row and its hold on the batch.
SELECT 'message ' || m.seq AS row, 'is sending by worker ' || m.worker || ', which nobody will end' AS detail
FROM message AS m
WHERE m.campaign = ?1 AND m.seq BETWEEN ?2 AND ?3 AND m.state = 'sending'
  AND NOT EXISTS (
    SELECT 1
    FROM worker AS w JOIN hold AS h ON h.worker = w.id JOIN batch AS b ON b.id = h.batch
    WHERE w.id = m.worker AND b.campaign = m.campaign AND m.seq BETWEEN b.first_seq AND b.last_seq
  )
LIMIT ?4;

-- name: odd_messages
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 limit bigint
SELECT 'message ' || seq AS row, odd AS detail
FROM (
  SELECT seq, CASE
    WHEN state NOT IN ('queued', 'sending', 'sent', 'rejected', 'uncertain', 'skipped', 'canceled') THEN 'is in no state: ' || state
    WHEN state NOT IN ('sending', 'uncertain') AND reserved <> 0 THEN 'is ' || state || ' and holds money back'
    WHEN (state = 'sent') <> (basis IS NOT NULL) THEN 'is ' || state || iif(state = 'sent', ' by the word of nobody', ' and has the word of a sent one')
    WHEN cost < 0 OR counted < 0 OR reserved < 0 THEN 'has a negative amount'
    WHEN state = 'sent' AND messageid IS NULL AND basis NOT IN ('operator', 'mapping') THEN 'was sent without a messageid'
    WHEN state = 'sent' AND cost IS NOT NULL AND counted <> cost THEN 'cost ' || cost || ' but counts ' || counted
    WHEN state <> 'sent' AND cost IS NOT NULL THEN 'is ' || state || ' and has a cost'
    WHEN state NOT IN ('sent', 'uncertain') AND counted <> 0 THEN 'is ' || state || ' and counts as spent'
    WHEN state IN ('sending', 'sent', 'rejected', 'uncertain') AND attempt = 0 THEN 'is ' || state || ' without an attempt'
    WHEN state IN ('sending', 'sent', 'rejected', 'uncertain') AND claimed_at IS NULL THEN 'is ' || state || ' and was never claimed'
    WHEN state NOT IN ('queued', 'sending') AND settled_at IS NULL THEN 'is ' || state || ' since never'
    WHEN (state = 'sent') <> (delivery IS NOT NULL) THEN 'is ' || state || CASE state WHEN 'sent' THEN ' and has no delivery' ELSE ' and has a delivery' END
    WHEN conflict = 1 AND delivery IS DISTINCT FROM 'delivered' THEN 'is in conflict and not delivered'
    WHEN written_off = 1 AND state <> 'uncertain' THEN 'is written off and ' || state
  END AS odd
  FROM message
  WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3
) AS looked
WHERE odd IS NOT NULL
LIMIT ?4;

-- name: off_moment
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 limit bigint
-- A reminder is sent neither before its moment nor after its end, which a lease of 60 s may exceed. A lost
-- message had no claim.
SELECT 'message ' || seq AS row, 'was claimed ' || CASE WHEN claimed_at < not_before THEN 'before its moment' ELSE 'when its moment was over' END AS detail
FROM message
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state IN ('sending', 'sent', 'rejected', 'uncertain') AND lost = 0
  AND (claimed_at < not_before OR claimed_at > not_after + 60000)
LIMIT ?4;

-- name: attempts
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 limit bigint
-- `attempt` has every attempt except the latest.
SELECT 'message ' || seq AS row, 'is at attempt ' || attempt || ', ' || earlier || ' earlier ones are recorded' AS detail
FROM (
  SELECT seq, attempt,
    (SELECT count(*) FROM attempt AS a WHERE a.campaign = m.campaign AND a.seq = m.seq AND a.number < m.attempt) AS earlier
  FROM message AS m
  WHERE m.campaign = ?1 AND m.seq BETWEEN ?2 AND ?3 AND m.attempt > 1
) AS tried
WHERE earlier <> attempt - 1
LIMIT ?4;

-- name: never_sent
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 limit bigint
-- A message that the reaper took back never had a request, so it has no attempt and no answer.
SELECT 'message ' || seq AS row, 'was taken back as never sent, and attempt ' || number || ' was on the wire' AS detail
FROM attempt AS a
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND reason = 'taken back, never sent'
  AND (outcome <> 'queued' OR send_ms IS NOT NULL OR EXISTS (
    SELECT 1 FROM evidence AS e WHERE e.campaign = a.campaign AND e.seq = a.seq AND e.attempt = a.number
  ))
LIMIT ?4;

-- name: delivery_fold
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 limit bigint
-- Delivery is the highest rank of all joined reports, whatever their order; both finals make a conflict.
SELECT 'message ' || m.seq AS row,
  'is ' || coalesce(m.delivery, m.state) || CASE m.conflict WHEN 1 THEN ' in conflict' ELSE '' END || ', its reports say '
    || CASE f.rank WHEN 2 THEN 'delivered' WHEN 1 THEN 'undelivered' ELSE 'pending' END
    || CASE f.both WHEN 1 THEN ' in conflict' ELSE '' END AS detail
FROM (
  SELECT seq, max(CASE delivery WHEN 'delivered' THEN 2 WHEN 'undelivered' THEN 1 ELSE 0 END) AS rank,
    iif(count(*) FILTER (WHERE delivery = 'delivered') > 0 AND count(*) FILTER (WHERE delivery = 'undelivered') > 0, 1, 0) AS both
  FROM report
  WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND joined = 'joined'
  GROUP BY seq
) AS f JOIN message AS m ON m.campaign = ?1 AND m.seq = f.seq
WHERE m.conflict <> f.both
  OR CASE m.delivery WHEN 'delivered' THEN 2 WHEN 'undelivered' THEN 1 WHEN 'pending' THEN 0 ELSE -1 END <> f.rank
LIMIT ?4;

-- name: unfounded_delivery
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 limit bigint
SELECT 'message ' || seq AS row, 'is ' || delivery || ' without a report that says so' AS detail
FROM message AS m
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND (delivery IN ('delivered', 'undelivered') OR conflict = 1)
  AND NOT EXISTS (SELECT 1 FROM report AS r WHERE r.campaign = m.campaign AND r.seq = m.seq AND r.joined = 'joined')
LIMIT ?4;

-- name: unauthorised
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 limit bigint
-- An attempt that may have reached a person is followed by another only when a person asks for it.
SELECT 'message ' || seq AS row, 'was tried again after it was ' || outcome
  || CASE asked WHEN 0 THEN ', and nobody asked for it' ELSE ' ' || times || ' times, and ' || asked || ' were asked for' END AS detail
FROM (
  SELECT seq, outcome, times, CASE outcome
      WHEN 'rejected' THEN (
        SELECT count(*) FROM audit
        WHERE audit.campaign = ?1 AND verb = 'retry' AND coalesce(detail ->> '$.reason', reason, '') = coalesce(reason, '')
      )
      WHEN 'uncertain' THEN (
        SELECT count(*) FROM audit
        WHERE audit.campaign = ?1 AND verb = 'resolve' AND detail ->> '$.decision' = 'not_sent'
      )
      ELSE 0
    END AS asked
  FROM (
    SELECT seq, outcome, CASE outcome WHEN 'rejected' THEN reason END AS reason, count(*) AS times
    FROM attempt
    WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND outcome <> 'queued'
    GROUP BY 1, 2, 3
  ) AS outcomes
) AS again
WHERE times > asked
LIMIT ?4;

-- name: unfounded_sent
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 limit bigint
-- A report that named the number still counts when a later message with the same id made it ambiguous.
SELECT 'message ' || seq AS row, 'is sent by the word of a report that is not there' AS detail
FROM message AS m
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND basis = 'report'
  AND NOT EXISTS (SELECT 1 FROM report AS r WHERE r.campaign = m.campaign AND r.seq = m.seq AND r.joined = 'joined')
  AND NOT (
    instr(coalesce(m.flags, ''), 'id_conflict') > 0
    AND m.messageid IN (SELECT messageid FROM report WHERE joined = 'ambiguous')
  )
LIMIT ?4;

-- name: before_canary
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 limit bigint
-- While the gate is shut, only the canary's messages were begun. Lost messages prove nothing.
SELECT 'message ' || m.seq AS row, 'was begun before the canary let it go' AS detail
FROM canary AS k JOIN message AS m ON m.campaign = k.campaign AND m.seq > k.messages
WHERE k.campaign = ?1 AND coalesce(k.verdict, 'failed') = 'failed' AND m.seq BETWEEN ?2 AND ?3
  AND m.attempt > 0 AND m.attempt > CASE WHEN m.lost <> 0 THEN 1 ELSE 0 END + (
    SELECT count(*) FROM attempt AS a WHERE a.campaign = m.campaign AND a.seq = m.seq AND a.lost <> 0
  )
LIMIT ?4;

-- name: register_worker
-- ?1 boot_id text, ?2 pid_namespace text, ?3 pid bigint, ?4 start_ticks text, ?5 roles text, ?6 now bigint, ?7 lock text
INSERT INTO worker (boot_id, pid_namespace, pid, start_ticks, roles, registered_at, heartbeat_at, lock)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7)
RETURNING id;

-- name: heartbeat
-- ?1 worker bigint, ?2 now bigint, ?3 ill_since bigint, ?4 next_try_at bigint
UPDATE worker SET heartbeat_at = ?2, ill_since = ?3, next_try_at = ?4 WHERE id = ?1 AND ended_at IS NULL;

-- name: prolong_leases
-- ?1 worker bigint, ?2 now bigint
UPDATE batch SET lease_until = ?2 + lease_ms WHERE worker = ?1;

-- name: end_worker
-- ?1 worker bigint, ?2 now bigint, ?3 reaped bigint
UPDATE worker SET ended_at = coalesce(ended_at, ?2), reaped = max(reaped, ?3) WHERE id = ?1;

-- name: cut_off
-- ?1 worker bigint, ?2 before bigint, ?3 rest_ms bigint
-- Running campaigns that this worker was sending when it died, with queued messages. `sign`: their last sign
-- of sending. Older living workers count, because every worker sends every campaign.
SELECT campaign, sign FROM (
  SELECT c.n AS campaign, max(
    dead.heartbeat_at, coalesce(c.last_claim_at, 0),
    coalesce((SELECT max(heartbeat_at) FROM worker WHERE ended_at IS NULL AND registered_at <= dead.heartbeat_at), 0)
  ) AS sign
  FROM worker AS dead CROSS JOIN campaign AS c
  WHERE dead.id = ?1 AND dead.reaped = 0 AND c.state = 'running'
    AND EXISTS (
      SELECT 1 FROM batch AS b
      WHERE b.campaign = c.n AND b.settled_at IS NULL AND (
        b.worker = ?1 OR b.id IN (SELECT batch FROM hold WHERE worker = ?1)
        OR (c.last_claim_at >= dead.registered_at AND b.due_at <= dead.heartbeat_at + ?3)
      )
    )
    AND EXISTS (
      SELECT 1
      FROM batch AS b JOIN message AS m ON m.campaign = b.campaign AND m.seq BETWEEN b.first_seq AND b.last_seq
      WHERE b.campaign = c.n AND b.settled_at IS NULL AND m.state = 'queued'
    )
) AS left_alone
WHERE sign < ?2;

-- name: end_leases
-- ?1 worker bigint, ?2 now bigint
UPDATE batch SET worker = NULL, lease_until = NULL, lease_ms = NULL, due_at = ?2 WHERE worker = ?1 RETURNING id;

-- name: renew_epochs
-- A batch that the dead worker had taken from the queue without a lease stays locked there for half a minute.
-- A new epoch offers it anew at once, and jobs of the old epoch find nothing.
UPDATE batch SET epoch = epoch + 1 WHERE settled_at IS NULL AND worker IS NULL;

-- name: other_workers
-- ?1 except bigint
-- Also ended workers that may have left `sending` messages, after a reaper's crash or a stop without time.
SELECT id AS worker, boot_id AS "bootId", pid_namespace AS "pidNamespace", pid, start_ticks AS "startTicks", roles,
  heartbeat_at AS "heartbeatAt", recorded, lock, claims
FROM worker
WHERE id IS DISTINCT FROM ?1 AND (ended_at IS NULL OR id IN (SELECT worker FROM hold))
ORDER BY id;

-- name: held_batches
-- ?1 worker bigint
SELECT b.id, b.campaign, b.first_seq AS first, b.last_seq AS last
FROM hold AS h JOIN batch AS b ON b.id = h.batch
WHERE h.worker = ?1
ORDER BY b.id;

-- name: all_sending
-- ?1 worker bigint
SELECT m.campaign, m.seq, m.attempt
FROM hold AS h JOIN batch AS b ON b.id = h.batch
  JOIN message AS m ON m.campaign = b.campaign AND m.seq BETWEEN b.first_seq AND b.last_seq
WHERE h.worker = ?1 AND m.state = 'sending' AND m.worker = ?1;

-- name: reap_messages
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 worker bigint, ?5 now bigint
-- counted: span
-- Never back to queued: without its worker's note the message may have been sent.
UPDATE message
SET state = 'uncertain', actor = 'reaper', reason = 'worker died', settled_at = ?5, counted = reserved
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state = 'sending' AND worker = ?4
RETURNING reserved;

-- name: batch_of
-- ?1 campaign bigint, ?2 seq bigint
SELECT id, first_seq, last_seq, worker, settled_at
FROM batch
WHERE campaign = ?1 AND first_seq <= ?2
ORDER BY first_seq DESC
LIMIT 1;

-- name: batches_after
-- ?1 campaign bigint, ?2 after_seq bigint, ?3 count bigint
SELECT id, first_seq, last_seq, worker, settled_at
FROM batch
WHERE campaign = ?1 AND first_seq > ?2
ORDER BY first_seq
LIMIT ?3;

-- name: settle_if_empty
-- ?1 batch bigint, ?2 now bigint
UPDATE batch SET settled_at = ?2
WHERE id = ?1 AND settled_at IS NULL AND worker IS NULL
  AND NOT EXISTS (
    SELECT 1 FROM message
    WHERE message.campaign = batch.campaign AND seq BETWEEN first_seq AND last_seq AND state IN ('queued', 'sending')
  );

-- name: drop_holds
-- ?1 batch bigint
-- Of a batch that is settled: it has no message in flight.
DELETE FROM hold WHERE batch = ?1 AND EXISTS (SELECT 1 FROM batch WHERE id = ?1 AND settled_at IS NOT NULL);

-- name: drop_idle_holds
-- ?1 worker bigint, ?2 batch bigint, or null for all
DELETE FROM hold
WHERE worker = ?1 AND (?2 IS NULL OR batch = ?2) AND NOT EXISTS (
  SELECT 1 FROM batch AS b JOIN message AS m ON m.campaign = b.campaign AND m.seq BETWEEN b.first_seq AND b.last_seq
  WHERE b.id = hold.batch AND m.state = 'sending' AND m.worker = ?1
);

-- name: make_due
-- ?1 batch bigint, ?2 due_at bigint
-- A settled batch has work again; an open one may become due earlier, never later.
UPDATE batch
SET due_at = CASE WHEN settled_at IS NULL THEN min(due_at, ?2) ELSE ?2 END, settled_at = NULL
WHERE id = ?1;

-- name: end_leases
-- ?1 campaign bigint
-- Workers with a batch of the campaign lose the lease, and with it the right to claim.
UPDATE batch SET worker = NULL, lease_until = NULL, lease_ms = NULL, epoch = epoch + 1
WHERE campaign = ?1 AND worker IS NOT NULL;

-- name: running_campaigns
-- A finished campaign is still `running`; only its batches show that no message is left.
SELECT n
FROM campaign
WHERE state = 'running' AND EXISTS (SELECT 1 FROM batch WHERE batch.campaign = n AND settled_at IS NULL)
ORDER BY kind = 'transactional' DESC, n;

-- name: due_batches
-- ?1 campaign bigint, ?2 now bigint, ?3 limit bigint
SELECT id AS batch, epoch, due_at AS "dueAt", kind
FROM batch_offered
WHERE campaign = ?1 AND due_at <= ?2
ORDER BY due_at, id
LIMIT ?3 + 0;

-- name: lease_batch
-- ?1 batch bigint, ?2 epoch bigint, ?3 worker bigint, ?4 now bigint, ?5 lease_ms bigint
UPDATE batch SET epoch = epoch + 1, worker = ?3, lease_until = ?4 + ?5, lease_ms = ?5
WHERE id = ?1 AND epoch = ?2 AND EXISTS (SELECT 1 FROM batch_offered AS o WHERE o.id = batch.id)
  AND EXISTS (SELECT 1 FROM worker WHERE id = ?3 AND ended_at IS NULL)
RETURNING campaign, epoch, first_seq AS "firstSeq", last_seq AS "lastSeq";

-- name: add_hold
-- ?1 batch bigint, ?2 worker bigint
INSERT INTO hold (batch, worker) VALUES (?1, ?2) ON CONFLICT DO NOTHING;

-- name: end_lease
-- ?1 batch bigint, ?2 epoch bigint, ?3 worker bigint
UPDATE batch SET worker = NULL, lease_until = NULL, lease_ms = NULL
WHERE id = ?1 AND epoch = ?2 AND worker = ?3;

-- name: batch
-- ?1 batch bigint
SELECT epoch, due_at AS "dueAt", settled_at IS NOT NULL AS settled FROM batch WHERE id = ?1;

-- name: set_due
-- ?1 batch bigint, ?2 earliest bigint, ?3 if_none_waits bigint
-- When the first of its queued messages is due; nothing but verdicts may be missing.
UPDATE batch SET due_at = max(?2, coalesce((
  SELECT min(not_before) FROM message WHERE campaign = batch.campaign AND seq BETWEEN first_seq AND last_seq AND state = 'queued'
), ?3))
WHERE id = ?1
RETURNING due_at AS "dueAt";

-- name: skip_late
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 now bigint
-- counted: returned
UPDATE message SET state = 'skipped', actor = 'claimer', reason = 'moment past', settled_at = ?4
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state = 'queued' AND not_after <= ?4
RETURNING seq;

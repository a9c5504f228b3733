-- name: ahead
-- ?1 now_and_more bigint
-- A heartbeat or a launch from the future: the clock ran ahead.
SELECT 1
WHERE EXISTS (SELECT 1 FROM worker WHERE heartbeat_at > ?1)
  OR EXISTS (SELECT 1 FROM campaign WHERE created_at > ?1 OR activated_at > ?1);

-- name: free_messages
-- ?1 now bigint, ?2 longest_wait_ms bigint
-- Messages whose retry is later than any back-off. A message without a try waits for a moment of its own.
UPDATE message SET not_before = ?1
FROM batch AS b JOIN campaign AS c ON c.n = b.campaign
WHERE b.settled_at IS NULL AND message.campaign = b.campaign AND message.seq BETWEEN b.first_seq AND b.last_seq
  AND message.state = 'queued' AND (message.attempt > 0 OR message.reason = 'network held')
  AND message.not_before > ?1 + max(?2, CAST(coalesce(c.settings ->> '$.retry.mostMs', '0') AS bigint));

-- name: bring_forward
-- ?1 now bigint
UPDATE batch SET due_at = min(due_at, max(?1, coalesce((
  SELECT min(not_before) FROM message
  WHERE message.campaign = batch.campaign AND seq BETWEEN first_seq AND last_seq AND state = 'queued'
), ?1)))
WHERE settled_at IS NULL AND due_at > ?1;

-- name: shorten_leases
-- ?1 now bigint
UPDATE batch SET lease_until = ?1 + lease_ms WHERE worker IS NOT NULL AND lease_until > ?1 + lease_ms;

-- name: age_launches
-- ?1 now bigint, ?2 earlier bigint
-- Messages sent by the right clock were sent after the launches, also before anybody noticed the rollback.
UPDATE campaign SET created_at = min(created_at, ?2), activated_at = min(activated_at, ?2)
WHERE created_at > ?1 OR activated_at > ?1;

-- name: age_claims
-- ?1 now bigint
-- Otherwise the span of guards would last until then. It is no earlier than now, because claims since the rollback kept it.
UPDATE campaign SET last_claim_at = ?1, next_slot = 0 WHERE last_claim_at > ?1;

-- name: settled_ahead
-- ?1 now bigint
-- A person could not decide such an uncertain message until then, and no balance reading would free its reservation.
-- The reports of such a canary would be awaited until then.
SELECT campaign, seq FROM message INDEXED BY message_uncertain WHERE state = 'uncertain' AND settled_at > ?1
UNION
SELECT m.campaign, m.seq
FROM canary AS c CROSS JOIN message AS m ON m.campaign = c.campaign AND m.seq <= c.messages
WHERE c.verdict IS NULL AND m.settled_at > ?1
ORDER BY campaign, seq;

-- name: age_message
-- ?1 campaign bigint, ?2 seq bigint, ?3 now bigint
-- counted: seq
UPDATE message SET settled_at = ?3 WHERE campaign = ?1 AND seq = ?2;

-- name: age_workers
-- ?1 now bigint
UPDATE worker SET heartbeat_at = ?1 WHERE heartbeat_at > ?1;

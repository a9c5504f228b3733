-- name: accounts
SELECT client_id AS account FROM account ORDER BY client_id;

-- name: readings
-- ?1 account text, ?2 from bigint, ?3 to bigint
SELECT at, credit AS "creditMicro", spent AS "spentMicro", quiet AS "isQuiet"
FROM reading WHERE account = ?1 AND at BETWEEN ?2 AND ?3
ORDER BY at, id;

-- name: last_reading
-- ?1 account text
-- By number, because the clock may have been set back in between.
SELECT at, credit AS "creditMicro",
  (SELECT account.spent FROM account WHERE client_id = ?1) - reading.spent AS "chargedSinceMicro"
FROM reading WHERE account = ?1
ORDER BY id DESC LIMIT 1;

-- name: neighbours
-- ?1 campaign bigint, ?2 to bigint
SELECT other.n, other.id
FROM campaign AS mine JOIN campaign AS other ON other.account = mine.account AND other.n <> mine.n
WHERE mine.n = ?1 AND other.state <> 'draft' AND other.first_claim_at <= ?2
ORDER BY other.n;

-- name: in_flight_between
-- ?1 campaign bigint, ?2 from bigint, ?3 to bigint, ?4 claim_ms bigint, ?5 most_ms bigint
-- What was decided later was on the wire as long as its request took, begun at most ?4 after its claim; where nobody saw the
-- request end, no longer than ?5.
SELECT 1 FROM message_left
WHERE campaign = ?1 AND claimed_at <= ?3 AND (state = 'sending' OR min(settled_at, left_at + coalesce(send_ms + ?4, ?5)) >= ?2)
LIMIT 1;

-- name: alive_workers
-- ?1 since bigint
SELECT id AS worker, boot_id AS "bootId", pid_namespace AS "pidNamespace", pid, start_ticks AS "startTicks", roles,
  heartbeat_at AS "heartbeatAt", recorded, lock, claims, ill_since AS "illSince", next_try_at AS "nextTryAt"
FROM worker WHERE ended_at IS NULL AND heartbeat_at >= ?1;

-- name: webhook_counts
SELECT
  count(*) FILTER (WHERE kind = 'report') AS report,
  count(*) FILTER (WHERE kind = 'reply') AS reply,
  count(*) FILTER (WHERE kind = 'other') AS other,
  count(*) FILTER (WHERE kind = 'not_understood') AS "notUnderstood",
  count(*) FILTER (WHERE kind IS NULL) AS new,
  (SELECT count(*) FROM report WHERE joined <> 'joined' AND joined = 'waiting') AS waiting
FROM webhook;

-- name: last_report
SELECT received_at AS at FROM report ORDER BY id DESC LIMIT 1;

-- name: purges
SELECT n AS campaign, purged_at AS "purgedAt" FROM campaign WHERE purge_seq IS NOT NULL ORDER BY n;

-- name: accepted_loss
-- The last loss that was accepted, unless a person has answered since what it means for launches.
SELECT at FROM audit AS a
WHERE verb = 'accept-loss' AND NOT EXISTS (SELECT 1 FROM audit AS b WHERE b.verb = 'answer-loss' AND b.id > a.id)
ORDER BY id DESC
LIMIT 1;

-- name: people_of_draft
-- ?1 draft bigint
SELECT count(*) AS people, count(*) FILTER (WHERE EXISTS (
    SELECT 1 FROM campaign AS c CROSS JOIN message AS i INDEXED BY message_identity ON i.campaign = c.n AND i.mobile = person.mobile
    WHERE c.state <> 'draft'
  )) AS known
FROM (SELECT mobile FROM message WHERE campaign = ?1 UNION SELECT mobile FROM staged WHERE draft = ?1) AS person;

-- name: readings
-- ?1 account, ?2 from, ?3 to
SELECT at, credit AS creditMicro, spent AS spentMicro, quiet
FROM reading WHERE account = ?1 AND at BETWEEN ?2 AND ?3
ORDER BY at, id;

-- name: neighbours
-- ?1 campaign, ?2 to
SELECT other.n, other.id
FROM campaign AS mine JOIN campaign AS other ON other.account = mine.account AND other.n <> mine.n
WHERE mine.n = ?1 AND other.state <> 'draft' AND other.first_claim_at <= ?2
ORDER BY other.n;

-- name: in_flight_between
-- ?1 campaign, ?2 from, ?3 to, ?4 on_wire_ms
-- What a person or a report decided later had left long before; nothing is on the wire for longer than ?4.
SELECT EXISTS (
  SELECT 1 FROM message
  WHERE campaign = ?1 AND claimed_at <= ?3 AND (
    state = 'sending'
    OR CASE WHEN basis IN ('operator', 'report') AND worker <> 0 THEN min(settled_at, claimed_at + ?4) ELSE settled_at END >= ?2
  )
) AS found;

-- name: alive_workers
-- ?1 since
SELECT id AS worker, boot_id AS bootId, pid_namespace AS pidNamespace, pid, start_ticks AS startTicks, roles,
  heartbeat_at AS heartbeatAt
FROM worker WHERE ended_at IS NULL AND heartbeat_at >= ?1;

-- name: pauses
-- Every pause ever: the audit has a row for each order, and not for each message.
SELECT coalesce(json_extract(detail, '$.reason'), 'start') AS reason, count(*) AS count
FROM audit WHERE verb IN ('pause', 'miss_start') GROUP BY 1;

-- name: webhook_counts
SELECT
  count(*) FILTER (WHERE kind = 'report') AS report,
  count(*) FILTER (WHERE kind = 'reply') AS reply,
  count(*) FILTER (WHERE kind = 'other') AS other,
  count(*) FILTER (WHERE kind = 'not_understood') AS notUnderstood,
  count(*) FILTER (WHERE kind IS NULL) AS new
FROM webhook;

-- name: waiting_reports
SELECT count(*) AS waiting FROM report WHERE joined = 'waiting';

-- name: dead_leases
-- ?1 limit bigint
-- A worker that ends releases its batches in the same commit. Otherwise nobody would send them.
SELECT 'batch ' || batch.id AS row, 'is leased by worker ' || worker || ', which has ended' AS detail
FROM batch JOIN worker ON worker.id = batch.worker
WHERE ended_at IS NOT NULL
LIMIT ?1;

-- name: repeated_ids
-- ?1 limit bigint
-- A repeated id is flagged on every message that has it, because a report with that id may prove nothing.
SELECT 'message ' || seq || ' of campaign ' || id AS row, 'shares its messageid with another and is not flagged' AS detail
FROM (
  SELECT m.campaign, m.seq, c.id, m.flags, count(*) OVER (PARTITION BY m.messageid) AS times
  FROM (SELECT plain_id FROM message_id GROUP BY plain_id HAVING count(*) > 1) AS family
  JOIN message_id AS i ON i.plain_id = family.plain_id
  JOIN message AS m ON m.campaign = i.campaign AND m.seq = i.seq JOIN campaign AS c ON c.n = m.campaign
) AS sharing
WHERE times > 1 AND instr(',' || coalesce(flags, '') || ',', ',id_conflict,') = 0
LIMIT ?1;

-- name: lost_reports
-- ?1 limit bigint
-- Where the ids differ in case or leading zeros only, the mobiles are the same. A purge may have removed one.
SELECT 'report ' || r.id AS row, 'is joined to message ' || coalesce(CAST(r.seq AS text), '?') || ' of campaign ' || coalesce(CAST(r.campaign AS text), '?') || ', '
    || CASE WHEN m.seq IS NULL THEN 'which does not exist' ELSE 'which has another messageid' END AS detail
FROM report AS r LEFT JOIN message AS m ON m.campaign = r.campaign AND m.seq = r.seq
WHERE r.joined = 'joined' AND (m.seq IS NULL OR m.messageid IS DISTINCT FROM r.messageid) AND (
  ltrim(lower(m.messageid), '0') IS DISTINCT FROM r.plain_id
  OR (m.mobile IS DISTINCT FROM r.mobile AND r.mobile IS NOT NULL AND m.mobile <> 'purged-' || m.seq)
)
LIMIT ?1;

-- name: outbid_reports
-- ?1 limit bigint
-- An exact match wins over one of which only the plain id is the same.
SELECT 'report ' || r.id AS row, 'is joined loosely, yet message ' || x.seq || ' of campaign ' || x.campaign
    || ' has its messageid and its mobile' AS detail
FROM report AS r JOIN message AS m ON m.campaign = r.campaign AND m.seq = r.seq AND m.messageid <> r.messageid
JOIN message_id AS i ON i.plain_id = r.plain_id
JOIN message AS x ON x.campaign = i.campaign AND x.seq = i.seq AND x.messageid = r.messageid AND x.mobile = r.mobile
WHERE r.joined = 'joined'
LIMIT ?1;

-- name: unkept_webhooks
-- ?1 limit bigint
-- A webhook acknowledged as a delivery report is kept as one, unless a person took it back.
SELECT 'webhook ' || id AS row, 'was read as a delivery report, and none is kept' AS detail
FROM webhook AS w
WHERE kind = 'report' AND voided_at IS NULL AND NOT EXISTS (SELECT 1 FROM report WHERE report.webhook = w.id)
LIMIT ?1;

-- name: voided_reports
-- ?1 limit bigint
SELECT 'report ' || r.id AS row, 'is of webhook ' || w.id || ', which was taken back' AS detail
FROM webhook AS w JOIN report AS r ON r.webhook = w.id
WHERE w.voided_at IS NOT NULL
LIMIT ?1;

-- name: unjoined_reports
-- ?1 limit bigint
-- A report finds its message in the commit in which the second of the two becomes known.
SELECT 'report ' || found.id AS row, 'waits, yet message ' || found.seq || ' of campaign ' || c.id || ' has its messageid' AS detail
FROM (
  SELECT r.id, i.campaign, i.seq
  FROM report AS r INDEXED BY report_unjoined CROSS JOIN message_id AS i ON i.plain_id = r.plain_id
  CROSS JOIN message AS m ON m.campaign = i.campaign AND m.seq = i.seq AND m.messageid = r.messageid
  WHERE r.joined <> 'joined' AND r.joined = 'waiting'
) AS found
JOIN campaign AS c ON c.n = found.campaign
LIMIT ?1;

-- name: readings
-- ?1 limit bigint
-- Charges only grow: the charges at the start of a reading are a part of the present ones.
SELECT 'reading ' || r.id AS row, 'began when ' || r.spent || ' were charged, account ' || client_id || ' knows ' || a.spent || ' (millionths)' AS detail
FROM account AS a JOIN reading AS r ON r.account = client_id
WHERE r.spent > a.spent
LIMIT ?1;

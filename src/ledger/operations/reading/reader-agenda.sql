-- name: next_due
-- ?1 campaign bigint
-- Messages of a held network are brought back before their own time.
SELECT min(at) AS due FROM (
  SELECT due_at AS at FROM batch WHERE campaign = ?1 AND settled_at IS NULL
  UNION ALL SELECT until FROM network_hold WHERE campaign = ?1 AND state IN ('held', 'probing')
) AS moments;

-- name: due_moments
-- ?1 campaign bigint, ?2 limit bigint
-- Reminders only: a batch of reminders has one moment. A batch of another campaign may have a million messages.
SELECT b.due_at AS at, sum(
  (SELECT count(*) FROM message AS m
   WHERE m.campaign = b.campaign AND m.seq BETWEEN b.first_seq AND b.last_seq AND m.state = 'queued')
) AS messages
FROM batch AS b
WHERE b.campaign = ?1 AND b.settled_at IS NULL
  AND EXISTS (SELECT 1 FROM campaign WHERE n = ?1 AND settings ->> '$.remind' IS NOT NULL)
GROUP BY b.due_at
ORDER BY b.due_at
LIMIT ?2;

-- name: schedule
-- ?1 campaign bigint
SELECT next_at, (SELECT state FROM campaign WHERE n = ?1) AS state,
  (SELECT count(*) FROM firing WHERE schedule = ?1 AND campaign IS NOT NULL) AS fired,
  (SELECT count(*) FROM firing WHERE schedule = ?1 AND campaign IS NULL AND left_out = 0) AS missed
FROM schedule WHERE campaign = ?1;

-- name: fired_by
-- ?1 campaign bigint
SELECT c.id FROM firing AS f JOIN campaign AS c ON c.n = f.schedule WHERE f.campaign = ?1;

-- name: open_firings
-- ?1 campaign bigint
SELECT c.id
FROM firing AS f JOIN campaign AS c ON c.n = f.campaign JOIN campaign_settled AS s ON s.campaign = c.n
WHERE f.schedule = ?1 AND c.state IN ('running', 'paused') AND NOT s.settled
ORDER BY f.at;

-- name: latest_firings
-- ?1 campaign bigint, ?2 limit bigint
SELECT f.at, c.id AS campaign, f.left_out AS "leftOut"
FROM firing AS f LEFT JOIN campaign AS c ON c.n = f.campaign
WHERE f.schedule = ?1
ORDER BY f.at DESC
LIMIT ?2;

-- name: held_networks
-- ?1 campaign bigint
SELECT network, cause, state = 'probing' AS probing, since, until, why
FROM network_hold WHERE campaign = ?1 AND state IN ('held', 'probing')
ORDER BY network;

-- name: reminders_due
-- ?1 from bigint, ?2 to bigint, ?3 limit bigint
-- Of every campaign that may still send them. A batch of reminders has one moment.
SELECT b.campaign, b.due_at AS at, sum(
  (SELECT count(*) FROM message AS m
   WHERE m.campaign = b.campaign AND m.seq BETWEEN b.first_seq AND b.last_seq AND m.state = 'queued')
) AS messages
FROM campaign AS c CROSS JOIN batch AS b ON b.campaign = c.n
WHERE c.state IN ('scheduled', 'running', 'paused') AND c.settings ->> '$.remind' IS NOT NULL
  AND b.settled_at IS NULL AND b.due_at >= ?1 AND b.due_at < ?2
GROUP BY b.campaign, b.due_at
ORDER BY b.due_at, b.campaign
LIMIT ?3;

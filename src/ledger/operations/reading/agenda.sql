-- name: next
-- ?1 campaign bigint
-- Messages of a held network are brought back before their own time.
SELECT (SELECT min(at) FROM (
    SELECT due_at AS at FROM batch WHERE campaign = ?1 AND settled_at IS NULL
    UNION ALL SELECT until FROM network_hold WHERE campaign = ?1 AND state IN ('held', 'probing')
  ) AS moments) AS "nextDueAt",
  (SELECT c.id FROM firing AS f JOIN campaign AS c ON c.n = f.schedule WHERE f.campaign = ?1) AS "firedBy";

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
SELECT CASE WHEN c.state = 'scheduled' THEN s.next_at END AS "nextAt",
  (SELECT count(*) FROM firing WHERE schedule = ?1 AND campaign IS NOT NULL) AS fired,
  (SELECT count(*) FROM firing WHERE schedule = ?1 AND campaign IS NULL AND left_out = 0) AS missed
FROM schedule AS s JOIN campaign AS c ON c.n = s.campaign WHERE s.campaign = ?1;

-- name: open_firings
-- ?1 campaign bigint
SELECT c.id
FROM firing AS f JOIN campaign AS c ON c.n = f.campaign JOIN campaign_settled AS s ON s.campaign = c.n
WHERE f.schedule = ?1 AND c.state IN ('running', 'paused') AND NOT s.settled
ORDER BY f.at;

-- name: latest_firings
-- ?1 campaign bigint, ?2 limit bigint
SELECT f.at, c.id AS campaign, f.left_out AS "isLeftOut"
FROM firing AS f LEFT JOIN campaign AS c ON c.n = f.campaign
WHERE f.schedule = ?1
ORDER BY f.at DESC
LIMIT ?2;

-- name: held_networks
-- ?1 campaign bigint
SELECT network, cause, state = 'probing' AS "isProbing", since, until, why
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

-- name: ahead_campaigns
-- ?1 account text, or null for all
-- Open campaigns that still have messages to send. Those of a recurring job wait for its firings, each of which sends all of them.
SELECT c.n, c.id, c.name, c.settings ->> '$.zone' AS zone, c.settings ->> '$.remind' IS NOT NULL AS "isReminder",
  CASE WHEN c.state = 'scheduled' THEN c.start_at END AS "startAt", c.price, c.estimated AS "estimatedMicro",
  s.campaign IS NOT NULL AS "isSchedule", CASE WHEN c.state = 'scheduled' THEN s.next_at END AS "nextAt",
  sum(k.messages) AS waiting, sum(k.messages * k.segments) AS segments,
  (SELECT sum(messages) FROM campaign_count WHERE campaign = c.n) AS total
FROM campaign AS c
  JOIN campaign_count AS k ON k.campaign = c.n AND k.state IN ('queued', 'sending') AND k.messages > 0
  LEFT JOIN schedule AS s ON s.campaign = c.n
WHERE c.state IN ('scheduled', 'running', 'paused') AND (?1 IS NULL OR c.account = ?1)
GROUP BY c.n, s.campaign
ORDER BY c.n;

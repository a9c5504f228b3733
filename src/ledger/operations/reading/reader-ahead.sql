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

-- name: ahead_moments
-- ?1 account text, or null for all, ?2 before_last bigint
-- Of each open campaign of reminders the next moments: ?2 of them, and one more. A batch of reminders has one moment.
SELECT b.campaign, b.due_at AS at, sum(
  (SELECT count(*) FROM message AS m
   WHERE m.campaign = b.campaign AND m.seq BETWEEN b.first_seq AND b.last_seq AND m.state = 'queued')
) AS messages
FROM campaign AS c JOIN batch AS b ON b.campaign = c.n
WHERE c.state IN ('scheduled', 'running', 'paused') AND (?1 IS NULL OR c.account = ?1)
  AND c.settings ->> '$.remind' IS NOT NULL AND b.settled_at IS NULL
  AND b.due_at <= coalesce((
    SELECT l.due_at FROM batch AS l WHERE l.campaign = c.n AND l.settled_at IS NULL
    GROUP BY l.due_at ORDER BY l.due_at LIMIT 1 OFFSET ?2
  ), b.due_at)
GROUP BY b.campaign, b.due_at
ORDER BY b.campaign, b.due_at;

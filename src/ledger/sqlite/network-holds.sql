-- name: open_holds
-- ?1 now, ?2 most_ms
-- Those that wait or are tried, of campaigns that run. A time further ahead than any wait: the clock was set back, so
-- that wait is over.
SELECT h.campaign, h.network, h.state, h.why, h.wait_ms AS waitMs, h.reopened, h.alone,
  h.probes <> '[]' AS tried, iif(h.until > ?1 + ?2, ?2, ?1 - h.until) AS pastMs, c.id
FROM network_hold AS h JOIN campaign AS c ON c.n = h.campaign
WHERE h.state IN ('held', 'probing') AND c.state = 'running';

-- name: try_again
-- ?1 campaign, ?2 network, ?3 until
-- Whatever was claimed while it was held is of others.
UPDATE network_hold
SET state = 'probing', probes = '[]', until = ?3, brings_back = 1,
  alone = counted_from >= (SELECT coalesce(last_claim_at, 0) FROM campaign WHERE n = ?1)
WHERE campaign = ?1 AND network = ?2;

-- name: probed
-- ?1 campaign, ?2 network
SELECT count(*) FILTER (WHERE delivery = 'delivered') AS delivered,
  count(*) FILTER (WHERE delivery = 'undelivered') AS undelivered
FROM network_probe WHERE campaign = ?1 AND network = ?2;

-- name: set_well
-- ?1 campaign, ?2 network, ?3 now
UPDATE network_hold SET state = 'well', counted_from = ?3, reopened = 0, brings_back = 1 WHERE campaign = ?1 AND network = ?2;

-- name: hold_longer
-- ?1 campaign, ?2 network, ?3 now, ?4 wait_ms
UPDATE network_hold
SET state = 'held', wait_ms = ?4, until = ?3 + ?4, counted_from = ?3, reopened = reopened + 1, brings_back = 0
WHERE campaign = ?1 AND network = ?2;

-- name: hold_first
-- ?1 campaign, ?2 network, ?3 now, ?4 wait_ms, ?5 why
INSERT INTO network_hold (campaign, network, state, why, since, until, wait_ms, counted_from)
VALUES (?1, ?2, 'held', ?5, ?3, ?3 + ?4, ?4, ?3)
ON CONFLICT DO UPDATE SET state = 'held', why = ?5, since = ?3, until = ?3 + ?4, wait_ms = ?4, counted_from = ?3, reopened = 0,
  probes = '[]', brings_back = 0;

-- name: override
-- ?1 campaign
UPDATE network_hold SET state = 'overridden', brings_back = 1 WHERE campaign = ?1 AND state IN ('held', 'probing');

-- name: of_claim
-- ?1 campaign
SELECT network, state = 'probing' AS probing,
  (SELECT coalesce(sum(takes_place), 0) FROM network_probe AS p WHERE p.campaign = h.campaign AND p.network = h.network) AS taken
FROM network_hold AS h WHERE campaign = ?1 AND state IN ('held', 'probing');

-- name: keep
-- ?1 campaign, ?2 network, ?3 seq
INSERT INTO network_held (campaign, network, seq) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING;

-- name: lend
-- ?1 campaign, ?2 network, ?3 seq, ?4 until
-- One that was put back and is claimed again is among them already.
UPDATE network_hold
SET probes = iif(EXISTS (SELECT 1 FROM json_each(probes) WHERE value = ?3), probes, json_insert(probes, '$[#]', ?3)), until = ?4
WHERE campaign = ?1 AND network = ?2;

-- name: forget_told
-- ?1 worker
-- With it go those of workers that have ended.
DELETE FROM network_ill WHERE worker = ?1 OR worker IN (SELECT id FROM worker WHERE ended_at IS NOT NULL);

-- name: tell
-- ?1 worker, ?2 network, ?3 since, ?4 until
INSERT INTO network_ill (worker, network, since, until) VALUES (?1, ?2, ?3, ?4);

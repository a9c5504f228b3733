-- name: hold
-- ?1 campaign bigint, ?2 network text, ?3 cause text, ?4 now bigint, ?5 wait_ms bigint, ?6 why text
-- Changes nothing if it is held or tried already.
INSERT INTO network_hold (campaign, network, state, cause, why, since, until, wait_ms, counted_from)
VALUES (?1, ?2, 'held', ?3, ?6, ?4, ?4 + ?5, ?5, ?4)
ON CONFLICT (campaign, network) DO UPDATE SET state = 'held', cause = ?3, why = ?6, since = ?4, until = ?4 + ?5, wait_ms = ?5, counted_from = ?4,
  reopened = 0, probes = '[]'
WHERE network_hold.state IN ('well', 'overridden');

-- name: open_holds
-- ?1 now bigint, ?2 most_ms bigint
-- Only running campaigns. A time beyond any wait comes from a clock that was set back, so the wait is over.
SELECT h.campaign, h.network, h.cause, h.state, h.why, h.wait_ms AS "waitMs", h.reopened, h.alone,
  h.probes <> '[]' AS tried, iif(h.until > ?1 + ?2, ?2, ?1 - h.until) AS "pastMs", c.id
FROM network_hold AS h JOIN campaign AS c ON c.n = h.campaign
WHERE h.state IN ('held', 'probing') AND c.state = 'running';

-- name: probed
-- ?1 campaign bigint, ?2 network text
SELECT count(*) FILTER (WHERE arrived) AS delivered, count(*) FILTER (WHERE failed) AS undelivered
FROM network_probe WHERE campaign = ?1 AND network = ?2;

-- name: try_again
-- ?1 campaign bigint, ?2 network text, ?3 until bigint
-- Messages claimed during the hold belong to other networks.
UPDATE network_hold
SET state = 'probing', probes = '[]', until = ?3,
  alone = iif(counted_from >= (SELECT coalesce(last_claim_at, 0) FROM campaign WHERE n = ?1), 1, 0)
WHERE campaign = ?1 AND network = ?2;

-- name: hold_longer
-- ?1 campaign bigint, ?2 network text, ?3 now bigint, ?4 wait_ms bigint
UPDATE network_hold
SET state = 'held', wait_ms = ?4, until = ?3 + ?4, counted_from = ?3, reopened = reopened + 1
WHERE campaign = ?1 AND network = ?2;

-- name: set_well
-- ?1 campaign bigint, ?2 network text, ?3 now bigint
UPDATE network_hold SET state = 'well', counted_from = ?3 WHERE campaign = ?1 AND network = ?2;

-- name: override
-- ?1 campaign bigint
UPDATE network_hold SET state = 'overridden' WHERE campaign = ?1 AND state IN ('held', 'probing');

-- name: returning
-- Only running campaigns, because messages of others cannot be sent.
SELECT h.campaign, h.network, h.state, h.cause,
  (SELECT count(*) FROM network_probe AS p WHERE p.campaign = h.campaign AND p.network = h.network AND takes_place) AS taken
FROM network_hold AS h JOIN campaign AS c ON c.n = h.campaign
WHERE h.state <> 'held' AND c.state = 'running'
  AND EXISTS (SELECT 1 FROM network_held AS w WHERE w.campaign = h.campaign AND w.network = h.network);

-- name: next_held
-- ?1 campaign bigint, ?2 network text, ?3 count bigint
SELECT min(seq) AS first, max(seq) AS last
FROM (SELECT seq FROM network_held WHERE campaign = ?1 AND network = ?2 ORDER BY seq LIMIT ?3) AS next;

-- name: bring_back
-- ?1 campaign bigint, ?2 network text, ?3 first_seq bigint, ?4 last_seq bigint, ?5 now bigint
UPDATE message SET not_before = ?5
WHERE campaign = ?1 AND state = 'queued' AND reason = 'network held'
  AND seq IN (SELECT seq FROM network_held WHERE campaign = ?1 AND network = ?2 AND seq BETWEEN ?3 AND ?4);

-- name: make_due
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint, ?4 now bigint
UPDATE batch SET due_at = ?4
WHERE campaign = ?1 AND first_seq <= ?3 AND last_seq >= ?2 AND settled_at IS NULL AND due_at > ?4;

-- name: brought_back
-- ?1 campaign bigint, ?2 network text, ?3 last_seq bigint
DELETE FROM network_held WHERE campaign = ?1 AND network = ?2 AND seq <= ?3;

-- name: returning
-- Of campaigns that run, for only there they can go.
SELECT h.campaign, h.network, h.state,
  (SELECT coalesce(sum(takes_place), 0) FROM network_probe AS p WHERE p.campaign = h.campaign AND p.network = h.network) AS taken
FROM network_hold AS h JOIN campaign AS c ON c.n = h.campaign
WHERE h.brings_back = 1 AND c.state = 'running';

-- name: held
-- ?1 campaign, ?2 network, ?3 count
SELECT seq FROM network_held WHERE campaign = ?1 AND network = ?2 ORDER BY seq LIMIT ?3;

-- name: bring_back
-- ?1 campaign, ?2 seq, ?3 now
UPDATE message SET not_before = ?3 WHERE campaign = ?1 AND seq = ?2 AND state = 'queued' AND reason = 'network held';

-- name: brought_back
-- ?1 campaign, ?2 network, ?3 last_seq
DELETE FROM network_held WHERE campaign = ?1 AND network = ?2 AND seq <= ?3;

-- name: done
-- ?1 campaign, ?2 network
UPDATE network_hold SET brings_back = 0 WHERE campaign = ?1 AND network = ?2;

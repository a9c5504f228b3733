-- name: returning
-- Of campaigns that run, for only there they can go.
SELECT h.campaign, h.network, h.state, h.back_after AS backAfter,
  (SELECT coalesce(sum(takes_place), 0) FROM network_probe AS p WHERE p.campaign = h.campaign AND p.network = h.network) AS taken
FROM network_hold AS h JOIN campaign AS c ON c.n = h.campaign
WHERE h.back_after IS NOT NULL AND c.state = 'running';

-- name: bring_back
-- ?1 campaign, ?2 first_seq, ?3 last_seq, ?4 now
UPDATE message SET not_before = ?4
WHERE campaign = ?1 AND seq BETWEEN ?2 AND ?3 AND state = 'queued' AND reason = 'network held' AND not_before > ?4;

-- name: brought_back
-- ?1 campaign, ?2 network, ?3 back_after
UPDATE network_hold SET back_after = ?3 WHERE campaign = ?1 AND network = ?2;

-- name: held_networks
-- ?1 campaign
SELECT network, cause, state = 'probing' AS probing, since, until, why
FROM network_hold WHERE campaign = ?1 AND state IN ('held', 'probing')
ORDER BY network;

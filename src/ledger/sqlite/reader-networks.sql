-- name: held_networks
-- ?1 campaign
-- By delivery, of this campaign; and what workers hold because of what they saw while sending, which concerns all.
SELECT network, 'delivery' AS cause, state = 'probing' AS probing, since, until, why
FROM network_hold WHERE campaign = ?1 AND state IN ('held', 'probing')
UNION ALL
SELECT i.network, 'sending', 0, min(i.since), max(i.until), NULL
FROM network_ill AS i JOIN worker AS w ON w.id = i.worker AND w.ended_at IS NULL
GROUP BY i.network
ORDER BY network, cause;

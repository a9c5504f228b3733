-- name: network_of
-- ?1 mobile
-- Of the number's own last message, for numbers are ported; looked for in the campaigns that sent last.
SELECT earlier.network
FROM (SELECT n FROM campaign WHERE last_claim_at IS NOT NULL ORDER BY last_claim_at DESC LIMIT 8) AS c
CROSS JOIN identity AS i ON i.campaign = c.n AND i.mobile = ?1
CROSS JOIN message AS earlier ON earlier.campaign = i.campaign AND earlier.seq = i.seq
WHERE earlier.network IS NOT NULL
LIMIT 1;

-- name: hold
-- ?1 campaign, ?2 seq, ?3 not_before
UPDATE message SET not_before = ?3, reason = 'network held' WHERE campaign = ?1 AND seq = ?2 AND state = 'queued';

-- name: secret
SELECT value FROM fact WHERE name = 'purge_secret';

-- name: make_secret
-- ?1 value text
-- Returns the one of the ledger, which an earlier purge may have made.
INSERT INTO fact (name, value) VALUES ('purge_secret', ?1)
ON CONFLICT (name) DO UPDATE SET value = fact.value
RETURNING value;

-- name: to_keep
-- ?1 campaign bigint, ?2 first_seq bigint, ?3 last_seq bigint
-- Reminders that left, or may have, under each number of their person.
SELECT c.name, m.mobile, m.key, m.occurrence, CASE WHEN m.lost <> 0 THEN m.lost ELSE m.claimed_at END AS at
FROM message AS m JOIN campaign AS c ON c.n = m.campaign
WHERE m.campaign = ?1 AND m.seq BETWEEN ?2 AND ?3 AND m.occurrence <> '' AND m.state IN ('sent', 'uncertain')
UNION ALL
SELECT c.name, o.mobile, m.key, m.occurrence, CASE WHEN m.lost <> 0 THEN m.lost ELSE m.claimed_at END
FROM other_number AS o CROSS JOIN message AS m ON m.campaign = o.campaign AND m.seq = o.seq
JOIN campaign AS c ON c.n = m.campaign
WHERE o.campaign = ?1 AND o.seq BETWEEN ?2 AND ?3 AND m.occurrence <> '' AND m.state IN ('sent', 'uncertain');

-- name: keep
-- ?1 digest bytea, ?2 at bigint
INSERT INTO purged_reminder (digest, at) VALUES (?1, ?2) ON CONFLICT (digest) DO UPDATE SET at = max(purged_reminder.at, excluded.at);

-- name: find
-- ?1 digest bytea, ?2 since bigint
SELECT 1 FROM purged_reminder WHERE digest = ?1 AND at > ?2;

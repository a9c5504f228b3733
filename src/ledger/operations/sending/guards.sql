-- name: other_campaigns
-- ?1 campaign bigint, or null for a plan, ?2 hash_job text, ?3 hash_template text, ?4 hash_contacts text, ?5 since bigint
-- Campaigns that claimed since. Launches of the same files do not count, nor firings of the same job: both are intended.
SELECT c.n
FROM campaign AS c INDEXED BY campaign_claimed
WHERE c.last_claim_at >= ?5 AND NOT (c.hash_job = ?2 AND c.hash_template = ?3 AND c.hash_contacts = ?4) AND NOT EXISTS (
  SELECT 1 FROM firing AS f JOIN firing AS g ON g.schedule = f.schedule WHERE f.campaign = ?1 AND g.campaign = c.n
);

-- name: promotional_campaigns
-- ?1 campaign bigint, or null for a plan, ?2 since bigint
SELECT n FROM campaign INDEXED BY campaign_claimed WHERE last_claim_at >= ?2 AND (kind = 'promotional' OR n = ?1);

-- name: same_text
-- ?1 campaigns text, ?2 mobile text, ?3 text_hash bigint, ?4 since bigint
-- The campaigns are JSON. A lost message left at the latest when the loss was accepted.
SELECT 1 AS found FROM json_each(?1) AS c CROSS JOIN message AS m INDEXED BY message_identity ON m.campaign = CAST(c.value AS bigint) AND m.mobile = ?2
WHERE m.text_hash = ?3 AND CASE WHEN m.lost <> 0 THEN m.lost ELSE m.claimed_at END >= ?4 AND m.state IN ('sending', 'sent', 'uncertain')
LIMIT 1;

-- name: count_to
-- ?1 campaigns text, ?2 mobile text, ?3 since bigint
SELECT count(*) AS count FROM json_each(?1) AS c CROSS JOIN message AS m INDEXED BY message_identity ON m.campaign = CAST(c.value AS bigint) AND m.mobile = ?2
WHERE CASE WHEN m.lost <> 0 THEN m.lost ELSE m.claimed_at END >= ?3 AND m.state IN ('sending', 'sent', 'uncertain');

-- name: claims
SELECT coalesce(sum(claims), 0) + coalesce((SELECT CAST(value AS bigint) FROM fact WHERE name = 'lost_claims'), 0) AS claims FROM account;

-- name: open_campaigns
-- ?1 now bigint
-- Queued messages that may have left after this ledger was copied: due ones, and ones that may have been due
-- early. These waited for a held network, or for a retry by a clock that was set back.
SELECT id, name, count(*) AS queued
FROM campaign JOIN message ON message.campaign = n
WHERE campaign.state IN ('running', 'paused', 'scheduled') AND message.state = 'queued'
  AND (not_before <= ?1 OR attempt > 0 OR message.reason = 'network held') AND coalesce(start_at, 0) <= ?1
  AND n NOT IN (SELECT campaign FROM schedule)
GROUP BY n ORDER BY n;

-- name: lost_campaigns
-- ?1 now bigint
-- The campaigns that may have such messages. The price is the highest that the account has paid per segment,
-- else that of the launch.
SELECT n, activated_at AS "activatedAt", coalesce(
  (SELECT max((cost + segments - 1) / segments) FROM price WHERE price.account = campaign.account AND cost > 0), price, 0
) AS "priceMicro"
FROM campaign
WHERE state IN ('running', 'paused', 'scheduled') AND coalesce(start_at, 0) <= ?1
  AND n NOT IN (SELECT campaign FROM schedule)
  AND EXISTS (SELECT 1 FROM batch WHERE batch.campaign = n AND settled_at IS NULL)
ORDER BY n;

-- name: take_lost
-- ?1 campaign bigint, ?2 now bigint, ?3 claimed_at bigint
-- counted: campaign
UPDATE message SET state = 'sending', actor = 'claimer', lost = ?2, attempt = attempt + 1, claimed_at = ?3
WHERE campaign = ?1 AND state = 'queued' AND (not_before <= ?2 OR attempt > 0 OR reason = 'network held');

-- name: lost
-- ?1 campaign bigint
SELECT count(*) AS messages, coalesce(sum(segments), 0) AS segments
FROM message WHERE campaign = ?1 AND state = 'sending' AND lost <> 0;

-- name: call_lost
-- ?1 campaign bigint, ?2 now bigint, ?3 price bigint
-- counted: campaign
-- The account's next reading shows whether it was charged, so nothing is reserved there.
UPDATE message
SET state = 'uncertain', actor = 'reaper', reason = 'an older ledger was put back', settled_at = ?2, reserved = 0,
  counted = segments * ?3
WHERE campaign = ?1 AND state = 'sending' AND lost <> 0;

-- name: open_batches
-- ?1 campaign bigint
SELECT id FROM batch WHERE campaign = ?1 AND settled_at IS NULL AND worker IS NULL;

-- name: has_claimed
-- ?1 campaign bigint, ?2 claimed_at bigint, ?3 now bigint, ?4 counted bigint
-- So reminders, guards, budget and statement count the messages that may have been sent.
UPDATE campaign
SET first_claim_at = coalesce(first_claim_at, ?2), last_claim_at = max(coalesce(last_claim_at, 0), ?3), spent = spent + ?4
WHERE n = ?1;

-- name: catch_up
-- ?1 claims bigint
-- Not of an account, because a ledger from before the first launch has none.
INSERT INTO fact (name, value) VALUES ('lost_claims', CAST(?1 AS text))
ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(fact.value AS bigint) + ?1 AS text);

-- name: add_reply
-- ?1 identity text, ?2 webhook bigint, ?3 channel text, ?4 record_id text, ?5 mobile text, ?6 addressee text, ?7 text text, ?8 at bigint, ?9 received_at bigint, ?10 detail text,
-- ?11 wish text, ?12 campaign bigint, ?13 seq bigint
-- Only for a reply that is new, or counts again (decide/wishes.ts).
INSERT INTO reply
  (identity, webhook, channel, record_id, mobile, addressee, text, at, received_at, detail, wish, campaign, seq)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
ON CONFLICT (identity) DO UPDATE
SET webhook = excluded.webhook, received_at = excluded.received_at, voided_at = NULL, wish = excluded.wish;

-- name: known_reply
-- ?1 identity text
SELECT webhook, at, wish, voided_at AS "voidedAt" FROM reply WHERE identity = ?1;

-- name: last_written
-- ?1 mobile text, ?2 until bigint, ?3 begun_until bigint
-- The last message that was sent, of the campaigns that had begun by then. One look-up per campaign.
SELECT c.n AS campaign, m.seq
FROM campaign AS c CROSS JOIN message AS m INDEXED BY message_identity ON m.campaign = c.n AND m.mobile = ?1
WHERE c.first_claim_at <= ?3 AND m.state IN ('sent', 'uncertain', 'sending') AND m.claimed_at <= ?2
ORDER BY m.claimed_at DESC, c.n DESC, m.seq DESC
LIMIT 1;

-- name: senders
SELECT sender FROM campaign WHERE state <> 'draft' UNION SELECT sender FROM former_sender;

-- name: void_replies
-- ?1 webhook bigint, ?2 voided_at bigint
UPDATE reply SET voided_at = ?2 WHERE webhook = ?1 AND voided_at IS NULL RETURNING mobile;

-- name: asked_before
-- ?1 mobile text, ?2 webhook bigint
SELECT 1 AS asked FROM opt_out_event WHERE mobile = ?1 AND webhook = ?2 LIMIT 1;

-- name: later_stop
-- ?1 mobile text, ?2 at bigint
-- By the provider's clock if it names a time, else by Tuma's. Without a webhook: by an operator or an import.
SELECT 1 AS stop FROM reply WHERE mobile = ?1 AND wish = 'stop' AND voided_at IS NULL AND coalesce(at, received_at) > ?2
UNION ALL
SELECT 1 FROM opt_out_event
WHERE mobile = ?1 AND change = 'added' AND webhook IS NULL AND source NOT IN ('report', 'learned') AND at > ?2
UNION ALL
-- A repetition from an import is only here.
SELECT 1 FROM opt_out WHERE mobile = ?1 AND source = 'import' AND at > ?2
LIMIT 1;

-- name: sums
-- ?1 campaign bigint, or null for all and the accounts, ?2 limit bigint
-- One pass over the messages, so that the sums and the totals that they are compared with are of one moment.
-- unit: null is money.
WITH summed AS MATERIALIZED (
  SELECT campaign, count(*) AS messages, max(seq) - min(seq) + 1 AS span, max(seq) AS last, sum(counted) AS counted,
    sum(reserved) AS held, count(*) FILTER (WHERE state = 'sending') AS sending, sum(iif(state = 'sending', reserved, 0)) AS held_sending,
    sum(iif(state = 'sent', coalesce(cost, 0), 0)) AS charged
  FROM message WHERE campaign = ?1 OR ?1 IS NULL
  GROUP BY campaign
),
launched AS MATERIALIZED (
  SELECT * FROM campaign LEFT JOIN summed ON summed.campaign = n
  WHERE state <> 'draft' AND (n = ?1 OR ?1 IS NULL)
),
of_account AS MATERIALIZED (
  SELECT client_id, a.spent, a.reserved, a.in_flight, sum(charged) AS charged, sum(held) AS held, sum(sending) AS sending
  FROM account AS a LEFT JOIN launched AS c ON c.account = client_id
  WHERE ?1 IS NULL
  GROUP BY client_id
),
compared (invariant, campaign, row, kept, found, unit) AS (
  SELECT 'planned', id, 'campaign ' || id, (SELECT sum(planned) FROM upload WHERE campaign = n), messages, 'messages' FROM launched
  UNION ALL SELECT 'contiguous', id, 'campaign ' || id, span, messages, 'messages' FROM launched
  UNION ALL SELECT 'batches_cover', id, 'campaign ' || id, (SELECT max(last_seq) FROM batch WHERE campaign = n), last, 'messages'
    FROM launched
  UNION ALL SELECT 'taken_back', id, 'campaign ' || id, taken_back,
    (SELECT count(*) FROM attempt WHERE campaign = n AND reason = 'taken back, never sent'), 'attempts' FROM launched
  UNION ALL SELECT 'campaign_spent', id, 'campaign ' || id, spent, counted, NULL FROM launched
  UNION ALL SELECT 'campaign_reserved', id, 'campaign ' || id, reserved, held_sending, NULL FROM launched
  UNION ALL SELECT 'account_spent', NULL, 'account ' || client_id, spent, charged, NULL FROM of_account
  UNION ALL SELECT 'account_reserved', NULL, 'account ' || client_id, reserved, held, NULL FROM of_account
  UNION ALL SELECT 'account_in_flight', NULL, 'account ' || client_id, in_flight, sending, 'in flight' FROM of_account
)
SELECT invariant, campaign, row, coalesce(kept, 0) AS kept, coalesce(found, 0) AS found, unit
FROM compared
WHERE coalesce(kept, 0) <> coalesce(found, 0)
LIMIT ?2;

-- name: rows_read
-- ?1 campaign bigint, or null for all, ?2 limit bigint
SELECT c.id AS campaign, 'upload ' || number AS row,
  'read ' || read || ' rows, of which ' || (planned + unchanged + duplicate + invalid + suppressed) || ' came to something' AS detail
FROM upload JOIN campaign AS c ON c.n = upload.campaign
WHERE (c.n = ?1 OR ?1 IS NULL) AND read <> planned + unchanged + duplicate + invalid + suppressed
LIMIT ?2;

-- name: batches_cover
-- ?1 campaign bigint, or null for all, ?2 limit bigint
-- Batches follow one another without gap or overlap.
SELECT c.id AS campaign, 'batch ' || b.id AS row, 'messages ' || first_seq || ' to ' || last_seq || ' follow ' || before AS detail
FROM (
  SELECT id, campaign, first_seq, last_seq, lag(last_seq, 1, CAST(0 AS bigint)) OVER (PARTITION BY campaign ORDER BY first_seq) AS before
  FROM batch WHERE campaign = ?1 OR ?1 IS NULL
) AS b JOIN campaign AS c ON c.n = b.campaign AND c.state <> 'draft'
WHERE first_seq <> before + 1 OR last_seq < first_seq
LIMIT ?2;

-- name: unambiguous_reports
-- ?1 after bigint: the id of a report, ?2 limit bigint
-- A report proves nothing if it went to another mobile than the only message with its id, or if several with its id
-- may be meant. A purge removes the mobiles, and then no row shows it. sent: the mobile of the only message.
SELECT id, 'report ' || id AS row, 'is ambiguous, yet one message has its messageid, and no other mobile' AS detail,
  CASE WHEN same = 1 THEN sent END AS sent, reported
FROM (
  SELECT r.id, r.mobile AS reported, max(m.mobile) AS sent, count(m.seq) AS same,
    count(*) FILTER (WHERE m.mobile = r.mobile) AS same_mobile, count(*) FILTER (WHERE m.mobile = 'purged-' || m.seq) AS purged
  FROM report AS r LEFT JOIN message_id AS i ON i.plain_id = r.plain_id
  LEFT JOIN message AS m ON m.campaign = i.campaign AND m.seq = i.seq AND m.messageid = r.messageid
  WHERE r.joined = 'ambiguous' AND r.id > ?1
    AND NOT EXISTS (SELECT 1 FROM audit WHERE verb = 'purge' AND CAST(detail ->> '$.before' AS bigint) > r.received_at)
  GROUP BY r.id, r.mobile
) AS told
WHERE purged = 0 AND (same < 2 OR same_mobile = 1)
ORDER BY id
LIMIT ?2;

-- name: other_mobiles
-- ?1 after bigint: the id of a report, ?2 limit bigint
SELECT r.id, 'report ' || r.id AS row,
  'is joined to message ' || m.seq || ' of campaign ' || c.id || ', which went to another mobile' AS detail,
  m.mobile AS sent, r.mobile AS reported
FROM report AS r JOIN message AS m ON m.campaign = r.campaign AND m.seq = r.seq JOIN campaign AS c ON c.n = m.campaign
WHERE r.joined = 'joined' AND r.mobile <> m.mobile AND r.id > ?1
ORDER BY r.id
LIMIT ?2;

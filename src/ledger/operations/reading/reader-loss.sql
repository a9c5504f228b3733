-- name: accepted_loss
-- The last loss that was accepted, unless a person has answered since what it means for launches.
SELECT at FROM audit AS a
WHERE verb = 'accept-loss' AND NOT EXISTS (SELECT 1 FROM audit AS b WHERE b.verb = 'answer-loss' AND b.id > a.id)
ORDER BY id DESC
LIMIT 1;

-- name: people_of_draft
-- ?1 draft bigint
SELECT count(*) AS people, count(*) FILTER (WHERE EXISTS (
    SELECT 1 FROM campaign AS c CROSS JOIN message AS i INDEXED BY message_identity ON i.campaign = c.n AND i.mobile = person.mobile
    WHERE c.state <> 'draft'
  )) AS known
FROM (SELECT mobile FROM message WHERE campaign = ?1 UNION SELECT mobile FROM staged WHERE draft = ?1) AS person;

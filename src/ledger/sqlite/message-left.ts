import type { DatabaseSync } from 'node:sqlite';

/*
 * The view `message_left` is `message` with the time when each message left. A worker or the reaper gives its verdict within
 * moments of the sending, so the time of that verdict counts. A message that a person or a report decided left when it was
 * claimed. A lost one left at the latest when the loss was accepted, which counts as its campaign's claim.
 */
const MESSAGE_LEFT = `
  CREATE TEMP VIEW IF NOT EXISTS message_left AS
  SELECT *, CASE
    WHEN actor <> 'worker' AND actor <> 'reaper' AND state IN ('sent', 'uncertain')
    THEN min(settled_at, iif(lost, (SELECT last_claim_at FROM campaign WHERE n = message.campaign), claimed_at))
    ELSE settled_at
  END AS left_at
  FROM message`;

/** Gives a connection the view `message_left`. `left_at`: when a message left, or was settled without leaving; null: neither. */
export function viewMessagesLeft(database: DatabaseSync): void {
  database.exec(MESSAGE_LEFT);
}

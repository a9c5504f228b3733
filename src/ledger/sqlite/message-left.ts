import type { DatabaseSync } from 'node:sqlite';

/*
 * Whoever asks when a message left reads `message_left`, which is `message` with one column more. What a worker (or the
 * reaper) says of a message comes within moments of the sending, so the time of that verdict will do. What a person or a
 * report decided, or took back, left when it was claimed: the time of the decision says nothing of it. Worker 0: it was lost
 * with the ledger that knew of its claim, and left at the latest when the loss was accepted, which counts as its campaign's claim.
 */
const MESSAGE_LEFT = `
  CREATE TEMP VIEW IF NOT EXISTS message_left AS
  SELECT *, CASE
    WHEN actor <> 'worker' AND actor <> 'reaper' AND state IN ('sent', 'uncertain')
    THEN min(settled_at, iif(worker = 0, (SELECT last_claim_at FROM campaign WHERE n = message.campaign), claimed_at))
    ELSE settled_at
  END AS left_at
  FROM message`;

/**
 * Gives a connection the view `message_left`: messages with `left_at`, when each left or was settled without leaving; null:
 * neither. It belongs to the connection and not to the schema, for nothing that is stored leans on it.
 */
export function viewMessagesLeft(database: DatabaseSync): void {
  database.exec(MESSAGE_LEFT);
}

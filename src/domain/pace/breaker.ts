/**
 * The breaker: stops sending to a provider that is down, so that an outage costs few uncertain messages.
 *
 *   closed ──5 ill in a row──▶ open(wait) ──wait over, balance well──▶ half_open ──one message well──▶ closed
 *                                ▲   └──balance call ill: wait doubles──┘   │
 *                                └──────────── ill: wait doubles ◀──────────┘
 *
 * The third re-opening in a row asks for a pause. Times are monotonic milliseconds.
 */
export type Breaker =
  | { state: 'closed'; illInARow: number }
  | { state: 'open'; until: number; waitMs: number; reopened: number }
  | { state: 'half_open'; waitMs: number; reopened: number };

const ILL_TO_OPEN = 5;
const FIRST_WAIT_MS = 30_000;
const MOST_WAIT_MS = 600_000;
const REOPENINGS_TO_PAUSE = 3;

/** The initial breaker: everything may be sent. */
export const CLOSED: Breaker = { state: 'closed', illInARow: 0 };

/** After a verdict or a balance call that shows a healthy provider. */
export function afterWell(breaker: Breaker): Breaker {
  return breaker.state === 'open' ? breaker : CLOSED;
}

/** After a verdict that shows an ill provider: no connection, 5xx, deadline, lost answer. */
export function afterIll(breaker: Breaker, now: number): Breaker {
  switch (breaker.state) {
    case 'closed':
      if (breaker.illInARow + 1 < ILL_TO_OPEN) return { state: 'closed', illInARow: breaker.illInARow + 1 };
      return { state: 'open', until: now + FIRST_WAIT_MS, waitMs: FIRST_WAIT_MS, reopened: 0 };
    case 'half_open':
      return reopen(breaker, now);
    case 'open':
      return breaker; // the message left before it opened
    default:
      return breaker satisfies never;
  }
}

/** After the balance call that tests an open breaker at the end of its wait. */
export function afterProbe(breaker: Breaker, well: boolean, now: number): Breaker {
  if (breaker.state !== 'open') return breaker;
  if (!well) return reopen(breaker, now);
  return { state: 'half_open', waitMs: breaker.waitMs, reopened: breaker.reopened };
}

/** True: the breaker has re-opened so often that a person should check. */
export function asksForPause(breaker: Breaker): boolean {
  return breaker.state === 'open' && breaker.reopened >= REOPENINGS_TO_PAUSE;
}

/** Milliseconds until the next try; 0: now. */
export function waitOf(breaker: Breaker, now: number): number {
  return breaker.state === 'open' ? Math.max(0, breaker.until - now) : 0;
}

function reopen(breaker: { waitMs: number; reopened: number }, now: number): Breaker {
  const waitMs = Math.min(breaker.waitMs * 2, MOST_WAIT_MS);
  return { state: 'open', until: now + waitMs, waitMs, reopened: breaker.reopened + 1 };
}

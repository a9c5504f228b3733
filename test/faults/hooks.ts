/* What the entry point of the tests does to the process that it runs; the product has no code for it. */

/** What happens at a named point of a process under test. */
export interface Hook {
  /** A method of the ledger, or `send` and `balance` of the provider, or a diagnostics channel of undici. */
  at: string;
  /** Calls in this name do not count: the reaper records what a dead worker had left, in as many calls as it needs. */
  notBy?: 'reaper';
  /** Before it is called, after it answered, or while it is under way. */
  when: 'before' | 'during' | 'after';
  /** The how manyth call; 1 is the first. */
  nth: number;
  /** Only calls count whose first argument, as JSON, holds this text. */
  holding?: string;
  /** For a channel of undici: what is said there counts from the first call of this method on. */
  from?: string;
  does: HookAction;
  /** For `during`: microseconds after the call; for `block` and `hoard`: milliseconds. */
  delay?: number;
  /** For `wait`: the process goes on when this file is there; it makes one of that name and its pid when it waits. */
  file?: string;
  /** As of `ShiftedTime`. */
  clockFile?: string;
}

/**
 * Time as a test wants it: so many milliseconds as stand in the file are added to the machine's clock, and whoever sleeps
 * wakes when the file says that it is time.
 */
export interface ShiftedTime {
  clockFile: string;
}

/** A hook that lets nothing happen but that the engine's time passes so many times as fast. */
export interface FastTime {
  clockSpeed: number;
}

/**
 * kill: SIGKILL of this process. throw: an exception that nobody catches. reject: a promise that nobody handles.
 * exhaust: the heap is filled. block: the event loop stands still. wait: until a file is there. hoard: every file
 * descriptor that is left is taken, for a while.
 */
export type HookAction = 'kill' | 'throw' | 'reject' | 'exhaust' | 'block' | 'wait' | 'hoard';

/** SIGKILL when the first connection for a message is there, before a byte is written to it. */
export const KILL_AT_FIRST_CONNECTION: Hook = {
  ...killAt('undici:client:connected', 'after', 1),
  from: 'send',
};

/** SIGKILL at that point. `delay` in microseconds, for `during`. */
export function killAt(at: string, when: Hook['when'], nth: number, delay = 0): Hook {
  return { at, when, nth, delay, does: 'kill' };
}

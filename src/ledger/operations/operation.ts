/** What is checked before an operation, in the same transaction (operation-gates.ts). */
export type Gate =
  /** It sends messages, or prepares to: it has every check. */
  | 'leads to messages'
  /** A newer Tuma may decide otherwise. A failed heartbeat ends the process, so that its service manager starts that Tuma. */
  | 'needs this schema'
  /** Nobody would find it again in a file that is not at its place. */
  | 'needs its place';

/** How an operation of the writing thread is run. Whatever is left out is as for most. */
export interface Rules {
  gate?: Gate;
  /**
   * False: a power cut may lose it without harm, as a draft that nobody has launched, or a read. A transaction of only
   * these is not synced to the disk.
   */
  durable?: false;
  /**
   * True: more of its kind join its transaction, and it is answered before the commit. If that fails, only the latest
   * caller hears of it. So a later operation must count what should be there.
   */
  joins?: true;
  /**
   * True: neighbours in a group are one call, with the arguments of all in their order. It answers nothing, and leaves what
   * calls one after another would. If it throws, each is called alone.
   */
  together?: true;
  /** The longest wait for the lock in milliseconds; Infinity: no limit, even on a full disk. */
  patienceMs?: number;
  /**
   * `admin`: it removes data, so it needs more than the route by which it is asked for. `none`: it only keeps what was
   * done before, or tidies up after it, so it is done even if the asker has lost the right. Left out: the asker's right is
   * looked at again.
   */
  right?: 'admin' | 'none';
}

/** A function of the writing thread: it runs in a transaction of group-commit.ts. */
export type Operation = ((...given: never[]) => unknown) & { rules?: Rules };

/** The operation `run` with its rules. A function without rules is an operation, too. */
export function operation<Run extends (...given: never[]) => unknown>(
  rules: Rules,
  run: Run,
): Run & { rules: Rules } {
  return Object.assign(run, { rules });
}

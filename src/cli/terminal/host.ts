import type { Config } from '../../config/config.ts';
import type { OpenServices } from '../../runtime/contracts.ts';
import type { Streams } from './output.ts';

/** What the process gives to the command line; tests give their own. */
export interface Host {
  /** Without node and the script. */
  argv: readonly string[];
  streams: Streams;
  /** Aborted by the first signal that asks to stop; its name is the reason. */
  signal: AbortSignal;
  /** Told the longest wait for an answer: bounds how long this process may take to stop. */
  boundStop?: (deadlineMs: number) => void;
  /** Loads `openServices` of runtime.ts when a command needs it. */
  loadServices: () => Promise<OpenServices>;
  /** Reads the settings of this process. */
  loadConfig: () => Promise<(flags: Record<string, string>) => Config>;
}

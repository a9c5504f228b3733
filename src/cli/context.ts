import type { Readable } from 'node:stream';
import type { Services } from '../runtime/contracts.ts';
import type { Output } from './terminal/output.ts';

/** The parts that one command runs with. */
export interface Context extends Services {
  readonly output: Output;
  readonly stdin: Readable;
  /** The person at the keyboard, for the audit. */
  readonly actor: string;
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
}

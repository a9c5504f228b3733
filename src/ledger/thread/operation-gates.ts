import type { Engine } from '../engine.ts';
import type { Soon } from '../connection.ts';
import { TumaError } from '../../domain/errors.ts';

/** Operations that send messages, or prepare to. */
export const LEADS_TO_MESSAGES = ['claim', 'activate', 'fireStep', 'beginUpload', 'uploadStep'] as const;

/** The operations; those in `names` run `check` with their name first, in the same transaction. */
export function gated<Name extends string, Operations extends Record<Name, (request: never) => unknown>>(
  operations: Operations,
  names: readonly Name[],
  check: (name: Name) => Soon<void>,
): Operations {
  const checked = { ...operations };
  for (const name of names) {
    const operation = operations[name];
    const checking = async (request: never) => {
      await check(name);
      return operation(request);
    };
    Object.assign(checked, { [name]: checking });
  }
  return checked;
}

/**
 * A function that throws `ledger_newer` once a newer Tuma has updated the schema (S13), because this program
 * does not know its rules for stopping messages. Verdicts are still recorded.
 */
export function schemaCheck(engine: Engine, known: number): () => Promise<void> {
  return async () => {
    if ((await engine.schemaVersion()) === known) return;
    throw new TumaError('ledger_newer', {
      message: 'A newer Tuma has migrated the ledger while this one runs; this one sends nothing more.',
      hint: 'Start this process again with the newer Tuma.',
    });
  };
}

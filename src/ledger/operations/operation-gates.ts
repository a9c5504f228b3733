import type { Soon } from '../connection.ts';
import type { Engine } from '../engine.ts';
import { TumaError } from '../../domain/errors.ts';
import type { Gate, Operation, Rules } from './operation.ts';

/** What can be checked before an operation. Each throws why the operation must not run. */
export interface Checks {
  /** The asker's right. */
  right(rules: Rules): Soon<void>;
  /** The ledger is the one that the process has opened, at its place. */
  place(): Soon<void>;
  /** No newer Tuma has changed the schema (schemaCheck). */
  schema(): Soon<void>;
  /** The ledger knows all claims that were ever made. */
  claims(): Soon<void>;
}

const CHECKS_OF: Readonly<Record<Gate, readonly Exclude<keyof Checks, 'right'>[]>> = {
  'leads to messages': ['place', 'schema', 'claims'],
  'needs this schema': ['schema'],
  'needs its place': ['place'],
};

/** Operations behind checks: each answers later. */
export type Gated<Operations extends Record<string, Operation>> = {
  [Name in keyof Operations]: { rules: Rules } & ((
    ...given: Parameters<Operations[Name]>
  ) => Promise<Awaited<ReturnType<Operations[Name]>>>);
};

/** The operations, each behind the checks of its rules, in the same transaction. */
export function gated<Operations extends Record<string, Operation>>(
  operations: Operations,
  checks: Checks,
): Gated<Operations> {
  const behind = Object.entries(operations).map(([name, run]) => [name, behindChecks(run, checks)]);
  return Object.fromEntries(behind) as Gated<Operations>;
}

function behindChecks(run: Operation, checks: Checks): Operation {
  const { rules = {} } = run;
  const needed = rules.gate === undefined ? [] : CHECKS_OF[rules.gate];
  const checked = async (...given: never[]) => {
    if (rules.right !== 'none') await checks.right(rules);
    for (const check of needed) await checks[check]();
    return run(...given);
  };
  return Object.assign(checked, { rules });
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

import type { Caller, OperationTable } from './ledger-thread.ts';

/** Operations as functions of their caller. */
export type Forwards<Operations extends OperationTable> = {
  [Name in keyof Operations]: (
    ...given: Parameters<Operations[Name]>
  ) => Promise<Awaited<ReturnType<Operations[Name]>>>;
};

/**
 * The methods of a contract as plain functions. The compiler is lax about what a method takes, and strict about what a
 * function takes: an operation that takes less than its method is found only so.
 */
export type Functions<Contract> = {
  [Name in keyof Contract]: Contract[Name] extends (...given: infer Given) => infer Answer
    ? (...given: Given) => Answer
    : never;
};

/** A function for each operation: it crosses by its name, and its answer comes back. */
export function forwards<Operations extends OperationTable>(
  caller: Caller<Operations>,
): Forwards<Operations> {
  const crossing = (name: string) => [
    name,
    (...given: Parameters<Operations[string]>) => caller.call(name, ...given),
  ];
  return Object.fromEntries(caller.operations.map(crossing)) as Forwards<Operations>;
}

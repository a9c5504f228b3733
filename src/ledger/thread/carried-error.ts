import type { Advice } from '../../domain/advice.ts';
import { TumaError } from '../../domain/errors.ts';

/** An error on its way from the ledger's thread to the caller; class instances do not survive it. */
export interface CarriedError {
  code: string | null;
  message: string;
  hint: string | null;
  advice: Advice | null;
  where: string | null;
  stack: string | null;
}

/** Packs an error to cross from one thread to another. An engine's own error is made one for a person before. */
export function packError(error: Error): CarriedError {
  const person = error instanceof TumaError;
  return {
    code: person ? error.code : null,
    message: error.message,
    hint: person ? error.hint : null,
    advice: person ? error.advice : null,
    where: person ? error.where : null,
    stack: error.stack ?? null,
  };
}

/** The error that packError packed. */
export function unpackError(carried: CarriedError): Error {
  const { code, message, hint, advice, where, stack } = carried;
  if (code === null) {
    const error = new Error(message);
    if (stack !== null) error.stack = stack;
    return error;
  }
  return new TumaError(code as TumaError['code'], { message, hint, advice, where });
}

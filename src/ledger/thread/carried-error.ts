import { TumaError } from '../../domain/errors.ts';

/** An error on its way from the ledger's thread to the caller; class instances do not survive it. */
export type CarriedError =
  | Pick<TumaError, 'code' | 'message' | 'hint' | 'advice' | 'where'>
  | { code: null; message: string; stack: string | undefined };

/** Packs an error to cross from one thread to another. An engine's own error is made one for a person before. */
export function packError(error: Error): CarriedError {
  const { message, stack } = error;
  if (!(error instanceof TumaError)) return { code: null, message, stack };
  const { code, hint, advice, where } = error;
  return { code, message, hint, advice, where };
}

/** The error that packError packed. */
export function unpackError(carried: CarriedError): Error {
  if (carried.code !== null) return new TumaError(carried.code, carried);
  return Object.assign(new Error(carried.message), { stack: carried.stack });
}

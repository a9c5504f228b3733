import { TumaError } from './errors.ts';

/** A reason that a person writes is one line of at most so many characters. */
export const MOST_REASON_CHARS = 200;

/** True: the text is a reason. */
export function isReason(text: string): boolean {
  return text.trim() !== '' && text.length <= MOST_REASON_CHARS && /^\P{Cc}+$/u.test(text);
}

/** The reason without blanks around it. Throws `usage` for a text that is none. */
export function requireReason(text: string): string {
  if (isReason(text)) return text.trim();
  throw new TumaError('usage', {
    message: `A reason is one line of at most ${MOST_REASON_CHARS} characters.`,
  });
}

import type { OpenAnswer } from '../ledger/contracts/answers.ts';
import { printableLine } from '../domain/text/printable.ts';

/** An unknown answer of the provider that messages wait for, as `--json` shows it. */
export interface DecisionPart {
  answer: number;
  http_status: number | null;
  code: string | null;
  words: string;
  messages: number;
}

/** What waits for a person's decision, as `--json` shows it. */
export function decisionParts(open: readonly OpenAnswer[]): DecisionPart[] {
  return open.map(({ answer, httpStatus, code, words, messages }) => {
    return { answer, http_status: httpStatus, code, words: printableLine(words), messages };
  });
}

/** One sentence: how many messages wait, and for which answer. */
export function decisionWords(part: DecisionPart): string {
  const { messages } = part;
  const wait = messages === 1 ? '1 message waits' : `${messages.toLocaleString('en')} messages wait`;
  return `${wait} for one decision: what does ${answerWords(part)} mean?`;
}

/** An answer by its words; one without any by its code and HTTP status. */
export function answerWords({ http_status, code, words }: Omit<DecisionPart, 'answer' | 'messages'>): string {
  if (words !== '') return `"${words}"`;
  return code === null ? `HTTP ${http_status}` : `code ${printableLine(code)}`;
}

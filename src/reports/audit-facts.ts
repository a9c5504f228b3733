/** One fact of an audit entry. Money in millionths, times in milliseconds; `mobile` in full. */
export type AuditFact =
  | { name: string; kind: 'money' | 'time' | 'count'; value: number }
  | { name: string; kind: 'text' | 'mobile'; value: string };

/** Names of the ledger's notes that hold milliseconds, and those that hold millionths. */
const TIMES = /At$|^(?:before|since)$/;
const MONEY = /Micro$/;

/** What the ledger noted with an entry, without what is empty. Names are in plain words: `budgetMicro` is "budget". */
export function auditFacts(detail: Record<string, unknown>): AuditFact[] {
  return Object.entries(detail).flatMap(([key, value]) => factsOf(key, value));
}

function factsOf(key: string, value: unknown): AuditFact[] {
  const name = wordsOf(key);
  if (Array.isArray(value)) return value.length === 0 ? [] : [{ name, kind: 'count', value: value.length }];
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([inner, each]) => factsOf(inner, each));
  if (typeof value === 'number') return value === 0 ? [] : [{ name, kind: kindOf(key), value }];
  if (typeof value !== 'string' || value === '') return [];
  return [{ name, kind: key === 'mobile' ? 'mobile' : 'text', value }];
}

function kindOf(key: string): 'money' | 'time' | 'count' {
  if (TIMES.test(key)) return 'time';
  return MONEY.test(key) ? 'money' : 'count';
}

/** `budgetMicro` as "budget", `startAt` as "start at". */
function wordsOf(key: string): string {
  return key
    .replace(MONEY, '')
    .replaceAll(/[A-Z_]/g, (letter) => (letter === '_' ? ' ' : ` ${letter.toLowerCase()}`));
}

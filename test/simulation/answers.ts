import type { RefusalClass, SendResult } from '../../src/provider/provider.ts';

/** What the provider does with one request. */
export interface Answer {
  /** Whether it takes the message and charges it, whatever it says then. */
  accepts: boolean;
  says: Said;
  /** From the request to the answer. */
  ms: number;
  /** Two messages get the same id (P13). */
  repeatsId?: boolean;
  /** The cost cannot be read (P17). */
  hidesCost?: boolean;
  /** The reports that follow, and how long after the request each comes; some before the answer (W6). */
  reports?: { word: 'delivered' | 'undelivered' | 'pending'; afterMs: number }[];
}

/** Rows of the provider's matrix, as the engine hears of them. */
export type Said =
  | 'accepted'
  | 'not_sent'
  | 'throttled'
  | 'deadline'
  | 'lost'
  | 'server_error'
  | 'unreadable'
  | 'unlisted_code'
  | RefusalClass;

const SEEN = { httpStatus: 200, code: '200', words: 'said by the simulation', raw: null } as const;
const THROTTLED_MS = 700;

/** The answer as the engine's contract has it; of an acceptance the provider adds what it knows. */
export function resultOf(said: Exclude<Said, 'accepted'>): SendResult {
  switch (said) {
    case 'not_sent':
      return { outcome: 'not_sent', fatal: false, ...SEEN, httpStatus: null, code: 'ECONNREFUSED' };
    case 'throttled':
      return { outcome: 'throttled', retryAfterMs: THROTTLED_MS, ...SEEN, httpStatus: 429 };
    case 'deadline':
    case 'lost':
      return { outcome: 'unknown', kind: said, ...SEEN, httpStatus: null, code: null };
    case 'server_error':
      return { outcome: 'unknown', kind: said, ...SEEN, httpStatus: 500 };
    case 'unreadable':
    case 'unlisted_code':
      return { outcome: 'unknown', kind: said, ...SEEN };
    case 'contact':
    case 'network':
    case 'opted_out':
    case 'credentials':
    case 'credit':
    case 'sender':
    case 'request':
      return { outcome: 'refused', refusal: said, retryHelps: said !== 'contact', ...SEEN, code: '1000' };
    default:
      return said satisfies never;
  }
}

/** Whether nobody can know from it what became of the message. */
export function isUnknown(said: Said): said is (typeof UNKNOWN)[number] {
  return (UNKNOWN as readonly Said[]).includes(said);
}

const UNKNOWN = ['deadline', 'lost', 'server_error', 'unreadable', 'unlisted_code'] as const;

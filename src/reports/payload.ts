import { maskText } from '../domain/text/mask.ts';
import type { RawWebhookRow } from '../ledger/contracts/replies.ts';

/** One value of a raw payload, with the path that leads to it. */
export interface PayloadLine {
  path: string;
  value: string;
}

const MOST_LINES = 200;
const MAX_VALUE_CHARS = 300;
const SECRET_NAME = /secret|token|key|password|authorization|signature/i;

/**
 * The values of a raw webhook by their paths (`$.results[0].status`): JSON, a form, the query, else the text
 * itself. Secrets are never shown; numbers only when `showNumbers`, also where they are names of fields.
 */
export function payloadLines(
  { body, query }: Pick<RawWebhookRow, 'body' | 'query'>,
  { showNumbers }: { showNumbers: boolean },
): PayloadLine[] {
  const text = new TextDecoder().decode(body).trim();
  const lines = [...bodyLines(text), ...formLines(query, '?')];
  return lines.slice(0, MOST_LINES).map(({ path, value }) => {
    const shown = (text: string) => (showNumbers ? text : maskText(text));
    if (SECRET_NAME.test(path)) return { path: shown(path), value: '[secret]' };
    return { path: shown(path), value: shown(value).slice(0, MAX_VALUE_CHARS) };
  });
}

function bodyLines(text: string): PayloadLine[] {
  if (text === '') return [];
  if (/^[[{]/.test(text)) {
    try {
      return jsonLines(JSON.parse(text, asWritten));
    } catch {
      // Broken JSON is shown as the text that it is.
    }
  }
  if (/^[\w.%+-]+=/.test(text)) return formLines(text, '');
  return [{ path: '$', value: text }];
}

/** Ids keep their digits: they may be wider than a double. */
function asWritten(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}

/** Without recursion, because a stranger decides how deep it is. */
function jsonLines(root: unknown): PayloadLine[] {
  const lines: PayloadLine[] = [];
  const waiting: { path: string; value: unknown }[] = [{ path: '$', value: root }];
  while (waiting.length > 0 && lines.length < MOST_LINES) {
    const { path, value } = waiting.shift() ?? { path: '', value: null };
    if (typeof value !== 'object' || value === null) lines.push({ path, value: String(value) });
    else {
      const inner = Object.entries(value).map(([key, each]) => ({
        path: Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`,
        value: each as unknown,
      }));
      waiting.unshift(...inner.slice(0, MOST_LINES));
    }
  }
  return lines;
}

function formLines(text: string, prefix: string): PayloadLine[] {
  if (text === '') return [];
  return [...new URLSearchParams(text)].map(([key, value]) => ({ path: `${prefix}${key}`, value }));
}

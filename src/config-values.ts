import { type MoneyMicro, parseMoney } from './domain/money.ts';

/** A value read from text, or what is wrong with the text in words that can follow it. */
export type Parsed<Value> = { value: Value } | { problem: string };

/** Cost a segment in micro units: by network where it is known, `otherMicro` for all others (null: not known). */
export interface PriceTable {
  otherMicro: MoneyMicro | null;
  byNetworkMicro: Readonly<Record<string, MoneyMicro>>;
}

/** Every price of a table, for estimates and reservations; null when none is configured. */
export function configuredPrices(table: PriceTable | null): MoneyMicro[] | null {
  if (table === null) return null;
  const { otherMicro, byNetworkMicro } = table;
  return [...Object.values(byNetworkMicro), ...(otherMicro === null ? [] : [otherMicro])];
}

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|m|h|d)$/;
const RATE = /^(\d{1,9}(?:\.\d{1,3})?)(?:\s*\/\s*(s|sec|m|min|h|hour))?$/;
const RATE_SECONDS: Readonly<Record<string, number>> = { s: 1, sec: 1, m: 60, min: 60, h: 3600, hour: 3600 };
const MOST_PER_SECOND = 1_000_000;
const LONGEST_MS = 3650 * UNIT_MS.d;

/** Reads "500ms", "30s", "10m", "72h" or "180d" as milliseconds. A number without a unit is refused. */
export function parseDuration(text: string): Parsed<number> {
  const match = DURATION.exec(text.trim());
  if (match === null) return { problem: 'is not a time span; write 30s, 10m or 72h' };
  const ms = Math.round(Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS]);
  return ms > LONGEST_MS ? { problem: 'is longer than ten years' } : { value: ms };
}

/** Reads "50/s", "600/min", "3000/h" or plain "50" as messages a second; "unlimited" is null. */
export function parseRate(text: string): Parsed<number | null> {
  const trimmed = text.trim();
  if (trimmed === 'unlimited') return { value: null };
  const match = RATE.exec(trimmed);
  if (match === null) return { problem: 'is not a rate; write 50/s, 600/min or unlimited' };
  const perSecond = Number(match[1]) / (RATE_SECONDS[match[2] ?? 's'] ?? 1);
  if (perSecond === 0) return { problem: 'would send nothing; pause the campaign instead' };
  if (perSecond > MOST_PER_SECOND) return { problem: 'is more than a million a second; write unlimited' };
  return { value: perSecond };
}

/** Reads a whole number between `least` and `most`. */
export function parseWhole(text: string, { least, most }: { least: number; most: number }): Parsed<number> {
  const trimmed = text.trim();
  const value = Number(trimmed);
  if (!/^\d{1,9}$/.test(trimmed) || value < least || value > most) {
    return { problem: `is not a whole number from ${least} to ${most}` };
  }
  return { value };
}

/** Reads "0.80", or by network "63902=0.80, 63903=1.00, *=1.20" where `*` is every other network. */
export function parsePrice(text: string): Parsed<PriceTable> {
  const single = parseMoney(text);
  if (single !== null) return { value: { otherMicro: single, byNetworkMicro: {} } };
  const table: { otherMicro: MoneyMicro | null; byNetworkMicro: Record<string, MoneyMicro> } = {
    otherMicro: null,
    byNetworkMicro: {},
  };
  for (const part of text.split(',')) {
    const [network = '', amount = '', ...rest] = part.split('=').map((piece) => piece.trim());
    const micro = parseMoney(amount);
    if (micro === null || rest.length > 0 || !/^(?:\*|[\w-]{1,40})$/.test(network)) {
      return { problem: 'is not a price; write 0.80, or by network 63902=0.80,*=1.00' };
    }
    if (network === '*') table.otherMicro = micro;
    else table.byNetworkMicro[network] = micro;
  }
  return { value: table };
}

/** Reads an http(s) address without credentials, query or fragment; a trailing slash is dropped. */
export function parseHttpUrl(text: string): Parsed<string> {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) return { problem: 'is not an http(s) address' };
  if (url.username !== '' || url.password !== '') {
    return { problem: 'must not hold a user or password' };
  }
  if (url.search !== '' || url.hash !== '') return { problem: 'must not hold a ? or # part' };
  return { value: url.href.replace(/\/+$/, '') };
}

/** Checks a time zone against the names this Node knows. */
export function parseZone(text: string): Parsed<string> {
  try {
    return { value: new Intl.DateTimeFormat('en', { timeZone: text.trim() }).resolvedOptions().timeZone };
  } catch {
    return { problem: 'is not a time zone; write a name such as Africa/Nairobi' };
  }
}

import { AddressList } from '../domain/numbers/address-list.ts';
import { countryMeant, isKnownCountry } from '../domain/numbers/country.ts';
import { parseDuration } from '../domain/time/time-words.ts';
import { type MoneyMicro, parseMoney } from '../domain/money.ts';
import { parseRate } from '../domain/pace/rate.ts';

/** A value read from text, or what is wrong with the text in words that can follow it. */
export type Parsed<Value> = { value: Value } | { problem: string };

/**
 * Cost per segment in micro units: by network where known, `otherMicro` for others at home (null: unknown), and by
 * country for numbers abroad.
 */
export interface PriceTable {
  otherMicro: MoneyMicro | null;
  byCountryMicro: Readonly<Record<string, MoneyMicro>>;
  byNetworkMicro: Readonly<Record<string, MoneyMicro>>;
}

/** Every price at home, for estimates; null when none is configured. */
export function configuredPrices(table: PriceTable | null): MoneyMicro[] | null {
  if (table === null) return null;
  const { otherMicro, byNetworkMicro } = table;
  const prices = [...Object.values(byNetworkMicro), ...(otherMicro === null ? [] : [otherMicro])];
  return prices.length === 0 ? null : prices;
}

/** Every price, because a claim reserves the highest; null when none is configured. */
export function reservedPrices(table: PriceTable | null): MoneyMicro[] | null {
  const home = configuredPrices(table);
  return home === null ? null : [...home, ...Object.values(table?.byCountryMicro ?? {})];
}

/** Reads a time span as milliseconds. */
export function readDuration(text: string): Parsed<number> {
  const ms = parseDuration(text);
  return ms === null ? { problem: 'is not a time span; write 30s, 10m, 72h or 3d' } : { value: ms };
}

/** Reads a rate as messages a second; "unlimited" is null. */
export function readRate(text: string): Parsed<number | null> {
  const rate = parseRate(text);
  if (rate === null) return { problem: 'is not a rate; write 50/s, 600/min or unlimited' };
  return { value: rate.perSecond };
}

const BYTES = { kB: 1e3, MB: 1e6, GB: 1e9 } as const;

/** A download's deadline grows with its size, and no timer lasts longer than 24 days. */
const MOST_BYTES = 100e9;

/** Reads a size such as `100MB` as bytes, up to 100 GB. */
export function readSize(text: string): Parsed<number> {
  const [, number = '', unit = ''] = /^(\d{1,3})\s?([kMG]B)$/.exec(text.trim()) ?? [];
  const bytes = Number(number) * (BYTES[unit as keyof typeof BYTES] ?? 0);
  const isSize = bytes > 0 && bytes <= MOST_BYTES;
  return isSize ? { value: bytes } : { problem: 'is not a size up to 100GB; write 500kB, 100MB or 2GB' };
}

/** Reads a whole number between `least` and `most`. */
export function readWhole(text: string, { least, most }: { least: number; most: number }): Parsed<number> {
  const trimmed = text.trim();
  const value = Number(trimmed);
  if (!/^\d{1,9}$/.test(trimmed) || value < least || value > most) {
    return { problem: `is not a whole number from ${least} to ${most}` };
  }
  return { value };
}

/**
 * Reads "0.80", or by network and country "63902=0.80, *=1.20, TZ=1.50" where `*` is every other network at home, and
 * two capital letters are a country.
 */
export function readPrice(text: string): Parsed<PriceTable> {
  const byNetworkMicro: Record<string, MoneyMicro> = {};
  const byCountryMicro: Record<string, MoneyMicro> = {};
  let otherMicro: MoneyMicro | null = null;
  for (const part of text.split(',')) {
    const read = readOnePrice(part);
    if ('problem' in read) return read;
    const { of, micro } = read.value;
    if (of === '*') otherMicro = micro;
    else if (isKnownCountry(of)) byCountryMicro[of] = micro;
    else byNetworkMicro[of] = micro;
  }
  return { value: { otherMicro, byNetworkMicro, byCountryMicro } };
}

/** "63902=0.80", "TZ=1.50", "*=1.20", or "1.20" for the last. */
function readOnePrice(part: string): Parsed<{ of: string; micro: MoneyMicro }> {
  const whole = part.includes('=') ? part : `*=${part}`;
  const [of = '', amount = '', ...rest] = whole.split('=').map((piece) => piece.trim());
  const meant = isKnownCountry(of) ? null : countryMeant(of);
  if (meant !== null) return { problem: `names no country "${of}"; did you mean ${meant}?` };
  const micro = parseMoney(amount);
  if (micro !== null && rest.length === 0 && /^(?:\*|[\w-]{1,40})$/.test(of)) return { value: { of, micro } };
  return { problem: 'is not a price; write 0.80, or by network and country 63902=0.80,*=1.00,TZ=1.50' };
}

/** Reads the path of a file or a folder. A `~` or `$HOME` is refused, because only a shell replaces it. */
export function readPath(text: string): Parsed<string> {
  if (/\p{Cc}/u.test(text)) return { problem: 'holds a control character' };
  if (/^[~$]/.test(text)) return { problem: 'begins with what only a shell reads; write the whole path' };
  return { value: text };
}

/** Reads an amount of money as millionths. */
export function readMoney(text: string): Parsed<MoneyMicro> {
  const micro = parseMoney(text);
  return micro === null ? { problem: 'is not an amount; write 500 or 500.00' } : { value: micro };
}

/** Reads an http(s) address for alerts. Its path and query may be secrets of the receiving service. */
export function readAlertUrl(text: string): Parsed<string> {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return { problem: 'is not an http(s) address' };
  return { value: url.href };
}

/** Reads the address of a mail server, without options: those after a `?` could turn encryption off. */
export function readSmtpUrl(text: string): Parsed<string> {
  const url = URL.parse(text);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    return { problem: 'is not an address such as smtps://user:password@mail.example.org' };
  if (url.search !== '') return { problem: 'must not hold a ? part' };
  if (isDecodable(url.username) && isDecodable(url.password)) return { value: url.href };
  return { problem: 'has a % in its user or password that stands for itself: write %25 in its place' };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Reads mail addresses with commas between them. */
export function readMailAddresses(text: string): Parsed<string[]> {
  const addresses = text.split(',').map((address) => address.trim());
  const wrong = addresses.find((address) => !/^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/.test(address));
  return wrong === undefined
    ? { value: addresses }
    : { problem: 'is not a list of addresses such as ops@example.org' };
}

/** Reads an http(s) address without credentials, query or fragment; a trailing slash is dropped. */
export function readHttpUrl(text: string): Parsed<string> {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) return { problem: 'is not an http(s) address' };
  if (url.username !== '' || url.password !== '') {
    return { problem: 'must not hold a user or password' };
  }
  if (url.search !== '' || url.hash !== '') return { problem: 'must not hold a ? or # part' };
  return { value: url.href.replace(/\/+$/, '') };
}

/** Reads the collector's address. The webhook's own address fits too, but its token must not be shown. */
export function readPublicUrl(text: string): Parsed<string> {
  const read = readHttpUrl(text);
  return 'value' in read ? { value: read.value.replace(/\/webhooks\/[\w-]{22,100}$/, '') } : read;
}

/** Reads the address under which people reach the pages: https, and nothing after the host. */
export function readPagesUrl(text: string): Parsed<string> {
  const read = readHttpUrl(text);
  if ('problem' in read) return read;
  const { protocol, pathname, origin } = new URL(read.value);
  if (protocol !== 'https:') return { problem: 'is not an https:// address; passwords would go in the open' };
  return pathname === '/' ? { value: origin } : { problem: 'must not hold a path' };
}

/** Headers that mean something else already. */
const OTHER_HEADERS =
  /^(?:authorization|connection|content-.*|cookie|forwarded|host|origin|sec-.*|transfer-encoding|x-forwarded-(?:for|host|proto))$/;

/** Reads the name of a header in which a proxy names the user. */
export function readUserHeader(text: string): Parsed<string> {
  const name = text.trim().toLowerCase();
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name))
    return { problem: 'is not the name of a header such as X-Remote-User' };
  return OTHER_HEADERS.test(name) ? { problem: 'is a header with another meaning' } : { value: name };
}

/** Reads addresses and networks with commas between them. */
export function readAddresses(text: string): Parsed<AddressList> {
  const value = AddressList.parse(text);
  if (value !== null) return { value };
  return { problem: 'is not a list of addresses and networks; write 203.0.113.7, 10.0.0.0/8' };
}

/** Checks that numbers of a country can be read. */
export function readCountry(text: string): Parsed<string> {
  if (isKnownCountry(text)) return { value: text };
  const meant = countryMeant(text);
  const advice = meant === null ? 'write two capital letters such as KE' : `did you mean ${meant}?`;
  return { problem: `is not the code of a country (ISO 3166); ${advice}` };
}

/** Reads countries such as "TZ, UG". */
export function readCountries(text: string): Parsed<string[]> {
  const value = text.split(',').map((country) => country.trim());
  const wrong = value.find((country) => !isKnownCountry(country));
  if (wrong === undefined) return { value };
  const meant = countryMeant(wrong);
  const advice = meant === null ? 'write two capital letters each, such as TZ, UG' : `did you mean ${meant}?`;
  return { problem: `holds no code of a country (ISO 3166); ${advice}` };
}

/** Checks a time zone against the names this Node knows. */
export function readZone(text: string): Parsed<string> {
  try {
    return { value: new Intl.DateTimeFormat('en', { timeZone: text.trim() }).resolvedOptions().timeZone };
  } catch {
    return { problem: 'is not a time zone; write a name such as Africa/Nairobi' };
  }
}

import { localToInstant } from '../../domain/time/local-time.ts';

/* The network's time of an event: the formats of the family, to milliseconds UTC. */

/** `2025-09-12 10:16:10`, `2025-09-12T10:16:10.123+03:00`, `2025/09/12 10:16 UTC`. */
const WRITTEN =
  /^(\d{4})[-/](\d{2})[-/](\d{2})[ T](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i;
/** `2509121016`, `250912101610`, `202509121016`, `20250912101610`. Years before 2024 count as an epoch. */
const COMPACT = /^(20(?=\d{10})|)(2[4-9]|[3-9]\d)(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})?$/;
const EPOCH = /^(\d{10})(\d{3})?(?:\.\d{1,9})?$/;

const EARLIEST_MS = Date.UTC(2015, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);
const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;

/** Reads a time. `zone` (IANA) is for texts without an offset. Null: unreadable, or not from 2015 to 2100. */
export function parseWebhookTime(text: string, zone: string): number | null {
  const ms = readWritten(spellOut(text), zone) ?? readEpoch(text);
  return ms !== null && ms >= EARLIEST_MS && ms < LATEST_MS ? ms : null;
}

function spellOut(text: string): string {
  const match = COMPACT.exec(text);
  if (match === null) return text;
  const [, , year, month, day, hour, minute, second = '00'] = match;
  return `20${year}-${month}-${day} ${hour}:${minute}:${second}`;
}

function readWritten(text: string, zone: string): number | null {
  const match = WRITTEN.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second = '00', fraction = '', offset] = match;
  const plain = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const local = Date.parse(`${plain}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
  // Date.parse moves the 31st of June to July; such a text is not a date.
  if (Number.isNaN(local) || !new Date(local).toISOString().startsWith(plain)) return null;
  return offset === undefined ? localToUtc(local, zone) : local - offsetMs(offset);
}

/** Seconds (10 digits) or milliseconds (13 digits) since 1970. */
function readEpoch(text: string): number | null {
  const match = EPOCH.exec(text);
  if (match === null) return null;
  return Math.trunc(Number(text) * (match[2] === undefined ? 1_000 : 1));
}

function offsetMs(offset: string): number {
  if (/^[a-z]/i.test(offset)) return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3).replace(':', ''));
  return (offset.startsWith('-') ? -minutes : minutes) * MINUTE_MS;
}

/** Offsets change on quarters of an hour and reports come in order, so one remembered value is enough. */
let remembered = { zone: '', quarter: 0, offset: 0 };

function localToUtc(local: number, zone: string): number {
  const quarter = Math.floor(local / QUARTER_MS);
  if (remembered.zone !== zone || remembered.quarter !== quarter) {
    const wall = quarter * QUARTER_MS;
    remembered = { zone, quarter, offset: wall - localToInstant(wall, zone) };
  }
  return local - remembered.offset;
}

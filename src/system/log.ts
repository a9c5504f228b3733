import { styleText } from 'node:util';
import { destination as openDestination, pino } from 'pino';
import type { Log } from '../campaign/env.ts';
import { HIDDEN, type Secret } from '../config/secret.ts';
import { maskMobile, maskText } from '../domain/text/mask.ts';
import { printableJson } from '../domain/text/printable.ts';

/* One JSON line an event, or a short line for people. Texts, full numbers and credentials never get out. */

const DEEPEST = 5;
const LONGEST_TEXT = 500;
/** Characters that wait for a slow reader of stderr. Later lines are dropped, because sending goes on. */
const MOST_WAITING = 1_000_000;

const SECRET_KEYS = new Set(
  'apikey apisecret apitoken xapikey xapisecret authorization password secret token cookie credentials'.split(
    ' ',
  ),
);
const TEXT_KEYS = new Set('message text template body fields rendered content caption'.split(' '));
const NUMBER_KEYS = new Set('mobile msisdn phone from to recipient'.split(' '));

const CONTROL = /[\p{Cc}\p{Bidi_Control}]+/gu;

/** The settings of a log. */
export interface LogOptions {
  level?: 'debug' | 'info' | 'warn' | 'error';
  /** One-liners for a terminal instead of JSON. */
  pretty?: boolean;
  /** Takes each finished line with its newline, in place of stderr. */
  write?: (line: string) => void;
  /** Appends to this file (created 0600) in place of stderr. */
  file?: string;
  /** Values that are hidden wherever they appear. */
  secrets?: readonly (Secret | null)[];
}

/** The log of a process. */
export interface TumaLog extends Log {
  /** Writes the lines that wait; call it before the process ends. */
  flush(): void;
}

/** Makes the log of a process. A log that cannot be written (closed pipe, full disk) is given up silently. */
export function createLog(options: LogOptions = {}): TumaLog {
  const blot = blotter(options.secrets ?? []);
  const sink = options.write === undefined ? openSink(options.file) : { write: options.write, flush() {} };
  const shape = options.pretty === true ? prettyLine : printableJson;
  const logger = pino(
    {
      level: options.level ?? 'info',
      base: { pid: process.pid },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: {},
    },
    { write: (line: string) => sink.write(shape(line)) },
  );
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => (fields: object, message: string) => {
    if (logger.isLevelEnabled(level)) logger[level](clean(fields, blot, 0) as object, blot(message));
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    flush: () => sink.flush(),
  };
}

function openSink(file: string | undefined): { write(line: string): void; flush(): void } {
  const stream = openDestination({
    ...(file === undefined ? { dest: 2 } : { dest: file, mkdir: true, append: true, mode: 0o600 }),
    sync: false,
    maxLength: MOST_WAITING,
  });
  let broken = false;
  // Without a listener a closed stderr would end the process.
  stream.on('error', () => {
    if (broken) return;
    broken = true;
    stream.destroy();
  });
  return {
    write: (line) => {
      if (!broken) stream.write(line);
    },
    flush: () => {
      // On a full disk it would try for ever.
      if (broken) return;
      try {
        stream.flushSync();
      } catch {
        // The stream was closed, or never opened: there is nobody to tell.
      }
    },
  };
}

type Blot = (text: string) => string;

function blotter(secrets: readonly (Secret | null)[]): Blot {
  const values = secrets.flatMap((secret) => secret?.reveal() ?? []).filter((value) => value.length > 3);
  return (text) => {
    const open = values.reduce((line, value) => line.replaceAll(value, HIDDEN), text);
    const masked = maskText(open);
    return masked.length > LONGEST_TEXT ? `${masked.slice(0, LONGEST_TEXT)}…` : masked;
  };
}

/** A copy without texts, full numbers and secrets. The key decides first, then the look of the text. */
function clean(value: unknown, blot: Blot, depth: number): unknown {
  if (typeof value === 'string') return blot(value);
  if (typeof value === 'bigint') return String(value);
  if (value === null || typeof value !== 'object') return value;
  if (depth === DEEPEST) return '[deep]';
  const inner = (item: unknown) => clean(item, blot, depth + 1);
  if (value instanceof Error) return { ...describe(value, blot), cause: inner(value.cause) };
  if (value instanceof Date) return value.toISOString();
  if (ArrayBuffer.isView(value)) return '[bytes]';
  if (Array.isArray(value)) return value.map(inner);
  const fields = Object.entries(value);
  return Object.fromEntries(fields.map(([key, item]) => [key, hiddenBy(key, item) ?? inner(item)]));
}

/** A field without its content if its key names a secret, a text or a number; null: it is harmless. */
function hiddenBy(key: string, item: unknown): string | null {
  const plain = key.toLowerCase().replace(/[^a-z]/g, '');
  if (item === null || item === undefined) return null;
  if (SECRET_KEYS.has(plain)) return HIDDEN;
  if (TEXT_KEYS.has(plain)) return '[text]';
  const text = typeof item === 'number' ? item.toString() : item;
  const isMobile = NUMBER_KEYS.has(plain) && typeof text === 'string' && /\d/.test(text);
  return isMobile ? maskMobile(text) : null;
}

function describe(error: Error, blot: Blot): object {
  const code = (error as { code?: unknown }).code;
  return {
    type: error.name,
    what: blot(error.message),
    ...(typeof code === 'string' ? { code } : {}),
    at: blot(callers(error.stack ?? '')),
  };
}

/** The stack without its first lines, which repeat the message. */
function callers(stack: string): string {
  const lines = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return lines
    .slice(0, 4)
    .map((line) => line.trim())
    .join(' · ');
}

const COLOURS = { debug: 'gray', info: 'cyan', warn: 'yellow', error: 'red' } as const;

function prettyLine(line: string): string {
  const { level, time, pid: _pid, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const name = String(level) as keyof typeof COLOURS;
  const clock = String(time).slice(11, 19);
  const rest = Object.entries(fields).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const text = [String(msg), ...rest].join(' ').replace(CONTROL, ' ');
  const stream = process.stderr;
  return `${styleText('gray', clock, { stream })} ${styleText(COLOURS[name], name.padEnd(5), { stream })} ${text}\n`;
}

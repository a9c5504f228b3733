import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { fitted } from './fit-width.ts';
import { TumaError } from '../../domain/errors.ts';
import { maskMobile, maskText } from '../../domain/text/mask.ts';
import { printable, printableJson } from '../../domain/text/printable.ts';

/* stdout is data, stderr is the rest. One object owns both, so that progress and log lines never mix. */

/** The three standard streams; `isTTY` and `columns` as Node sets them. */
export interface Streams {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean; columns?: number; rows?: number };
}

/** `--json` and `--show-numbers`. */
export interface OutputOptions {
  json: boolean;
  showNumbers: boolean;
}

/** The output of a command: data to stdout, everything else to stderr. */
export interface Output extends OutputOptions {
  /** stdout is a terminal: pad tables. */
  readonly terminal: boolean;
  /** A person can be asked: stdin and stderr are terminals, and the answer is not wanted as JSON. */
  readonly interactive: boolean;
  /** stderr is a terminal: progress is lines that change. */
  readonly liveProgress: boolean;
  /** Columns of stdout; 100 where there is no terminal. */
  readonly width: number;
  /** Columns of stderr, which may change. */
  readonly progressWidth: number;
  /** Lines of progress that fit: more could not be taken back. */
  readonly progressLines: number;
  /** The reader of the output has gone away (`tuma status --watch | head`): there is nobody to watch for. */
  readonly unread: boolean;
  /** The command's answer: with --json the document on one line, else the text. Called once, at the end. */
  result(document: unknown, text: () => string): void;
  /** One line of NDJSON: only for `--watch` and only with --json. */
  event(document: unknown): void;
  /** Text that is data as it is (a CSV report); a terminal is shown what it can be shown. */
  data(text: string): void;
  /** A line for people on stderr; none with --json. Its colours stay, so other text must be printable. */
  note(line: string): void;
  /** A finished line of the log. */
  logLine(line: string): void;
  /** Replaces the lines of progress (terminal) or prints them every 10 seconds (else); null removes them. */
  progress(lines: string | null): void;
  /** Asks on stderr. Null: the input ended, or `signal` was aborted. Throws `interrupted` at Ctrl-C. */
  ask(question: string, signal: AbortSignal): Promise<string | null>;
  /** The error of a failed command: the last line of stderr. */
  error(line: string): void;
  /** A number as the screen may show it. */
  number(mobile: string): string;
  /** A text from outside, safe for the screen: its numbers are masked, too. */
  words(text: string): string;
}

const PLAIN_WIDTH = 100;
/** Without a terminal a progress line stays, so there are few of them. */
const PLAIN_PROGRESS_MS = 10_000;
const CLEAR_LINE = '\r\u001b[2K';
const LINE_UP = '\u001b[1A';
const PLAIN_LINES = 24;
const ESCAPE = '\u001b';
const COLOURS = new RegExp(String.raw`(${ESCAPE}\[\d{1,3}(?:;\d{1,3})*m)`);

/** Makes the output of one command. If stdout or stderr fails, the text is lost and the work goes on. */
export function createOutput(streams: Streams, { json, showNumbers }: OutputOptions): Output {
  const { stdin, stdout, stderr } = streams;
  const line = { shown: null as string | null, printedAt: -Infinity };
  const live = stderr.isTTY === true && !json;
  const readers = readersOf(streams, json);
  const clear = () => stderr.write(CLEAR_LINE + (LINE_UP + CLEAR_LINE).repeat(linesOf(line.shown) - 1));
  const aside = (text: string) => {
    if (live && line.shown !== null) clear();
    stderr.write(text);
    if (live && line.shown !== null) stderr.write(line.shown);
  };
  const progress = (text: string | null) => {
    if (!live) {
      const now = performance.now();
      if (text === null || json || now - line.printedAt < PLAIN_PROGRESS_MS) return;
      line.printedAt = now;
      stderr.write(`${printable(text)}\n`);
      return;
    }
    if (line.shown !== null || text !== null) clear();
    line.shown = text === null ? null : text.split('\n').map(colourful).join('\n');
    if (line.shown !== null) stderr.write(line.shown);
  };
  return {
    json,
    showNumbers,
    terminal: stdout.isTTY === true && !json,
    interactive: stdin.isTTY === true && live,
    liveProgress: live,
    width: sizeOr(stdout.columns, PLAIN_WIDTH),
    get progressWidth() {
      return sizeOr(stderr.columns, PLAIN_WIDTH);
    },
    get progressLines() {
      return Math.max(1, sizeOr(stderr.rows, PLAIN_LINES) - 1);
    },
    get unread() {
      return readers.gone;
    },
    result(document, text) {
      progress(null);
      stdout.write(json ? jsonLine(document) : endLine(shownOn(stdout, colourful(text()))));
    },
    event: (document) => void (json && stdout.write(jsonLine(document))),
    data: (text) => void stdout.write(stdout.isTTY === true ? printable(text) : text),
    note: (text) => void (json || aside(endLine(colourful(text)))),
    logLine: (text) => aside(colourful(text)),
    progress,
    async ask(question, signal) {
      progress(null);
      return await readAnswer({ streams, question: printable(question), signal });
    },
    error(text) {
      progress(null);
      stderr.write(endLine(json ? printableJson(text) : printable(text)));
    },
    number: (mobile) => (showNumbers ? mobile : maskMobile(mobile)),
    words: (text) => printable(showNumbers ? text : maskText(text)),
  };
}

/** Breaks long lines between words on a terminal. A file and a pipe get them whole. */
function shownOn(stdout: Streams['stdout'], text: string): string {
  return stdout.isTTY === true ? fitted(text, sizeOr(stdout.columns, PLAIN_WIDTH)) : text;
}

/** A terminal that was not told its size (a serial line, a container's at first) says 0. */
function sizeOr(size: number | undefined, usual: number): number {
  return size === undefined || size === 0 ? usual : size;
}

/**
 * Keeps the process alive when the reader of its output goes away (`tuma report | head`). With --json a
 * reader of stderr does not matter, because stderr says nothing before the end.
 */
function readersOf({ stdout, stderr }: Streams, json: boolean): { readonly gone: boolean } {
  const readers = { gone: false };
  stdout.on('error', () => (readers.gone = true));
  stderr.on('error', () => (readers.gone ||= !json));
  return readers;
}

function linesOf(shown: string | null): number {
  return shown === null ? 1 : shown.split('\n').length;
}

function jsonLine(document: unknown): string {
  return `${printableJson(JSON.stringify(document))}\n`;
}

/** Printable, but colours stay: for text that was built of parts that are printable already. */
function colourful(text: string): string {
  return text
    .split(COLOURS)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('');
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function interrupted(): TumaError {
  return new TumaError('interrupted', {
    message: 'Stopped at the question; nothing was done.',
    hint: 'Run the same command again when you are ready.',
  });
}

interface Asking {
  streams: Streams;
  question: string;
  signal: AbortSignal;
}

async function readAnswer({ streams, question, signal }: Asking): Promise<string | null> {
  const reader = createInterface({ input: streams.stdin, output: streams.stderr });
  const ended = new AbortController();
  // Without it the question would never settle when the input ends.
  reader.once('close', () => ended.abort());
  // At a question the terminal sends Ctrl-C as a key and not as a signal.
  const stopped = { byKey: false };
  reader.once('SIGINT', () => {
    stopped.byKey = true;
    ended.abort();
  });
  try {
    return await reader.question(question, { signal: AbortSignal.any([signal, ended.signal]) });
  } catch {
    if (stopped.byKey) throw interrupted();
    return null;
  } finally {
    reader.close();
  }
}

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { handedIn } from './left-behind.ts';

/* What a process asked of the kernel, in the order in which the kernel was asked, as strace saw it. */

/** One thing that happened. A write or a send is listed where it began, a sync or a read where it had succeeded. */
export type Call =
  | { is: 'written'; file: string; offset: number; bytes: Buffer }
  | { is: 'cut'; file: string; length: number }
  | { is: 'synced'; file: string }
  /** The attempts in a status block that replaces the one before it. */
  | { is: 'noted'; handed: string[] }
  | { is: 'sent'; to: string; text: string }
  | { is: 'received'; from: string; text: string };

const TRACED = 'fsync,fdatasync,pwrite64,ftruncate,write,writev,sendto,sendmsg,read,recvfrom';
/** Longer than a page of the ledger, and than any request or answer of a test. */
const LONGEST = 16_384;

/** No process may be traced here. Why, is printed. */
export const noStrace = refused();

function refused(): boolean {
  const reason = whyRefused();
  if (reason !== null) console.log(`the order of writes is not tested: ${reason}`);
  return reason !== null;
}

function whyRefused(): string | null {
  const { status, error, stderr } = spawnSync('strace', ['-f', '-qq', '-o', '/dev/null', 'true']);
  if (error !== undefined) return 'strace is not installed';
  return status === 0 ? null : `strace may not trace here: ${String(stderr).trim()}`;
}

/** The words that go before a command to record its calls in `log`. */
export function recorded(log: string): string[] {
  const format = ['-yy', '-xx', '-s', String(LONGEST)];
  return ['strace', '-f', '--seccomp-bpf', '-qq', ...format, '-o', log, '-e', `trace=${TRACED}`];
}

/** The words that go before a command to let the kernel fail it, or kill it: `fsync:error=EIO:when=3`. */
export function injected(log: string, fault: string): string[] {
  const traced = `trace=pwrite64,${fault.split(':')[0] ?? ''}`;
  return ['strace', '-f', '-qq', '-y', '-s', '0', '-o', log, '-e', traced, '-e', `inject=${fault}`];
}

/** Reads a recording. Calls that failed are left out. */
export function readCalls(log: string): Call[] {
  const begun = new Map<string, string>();
  return readFileSync(log, 'latin1')
    .split('\n')
    .flatMap((line) => callOf(line, begun) ?? []);
}

/** `begun`: by thread, the beginning of the call that another thread's line has interrupted. */
function callOf(line: string, begun: Map<string, string>): Call | null {
  const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
  if (rest.endsWith('<unfinished ...>')) {
    begun.set(thread, rest);
    return isReported('begin', rest) ? toCall(rest) : null;
  }
  if (!rest.startsWith('<... ')) return failed(rest) ? null : toCall(rest);
  const start = begun.get(thread) ?? '';
  if (failed(rest) || !isReported('end', start)) return null;
  return toCall(start.replace(/ ?<unfinished ...>/, '') + rest.replace(/^<\.\.\. \w+ resumed>/, ''));
}

/** Whether an interrupted call counts from its beginning or at its end. */
function isReported(when: 'begin' | 'end', call: string): boolean {
  const atEnd = /^(?:fsync|fdatasync|read|recvfrom)\(/.test(call);
  return (when === 'end') === atEnd;
}

function failed(call: string): boolean {
  return / = -1 E/.test(call) || / = \?/.test(call);
}

function toCall(line: string): Call | null {
  const [, name = '', target = ''] = /^(\w+)\(\d+<(.*?)>[,)]/.exec(line) ?? [];
  const numbers = /, (\d+), (\d+)[ )]/.exec(line);
  switch (name) {
    case 'pwrite64':
      return toWrite(bytesIn(target).toString(), { offset: Number(numbers?.[2]), bytes: quotedBytes(line) });
    case 'ftruncate':
      return { is: 'cut', file: bytesIn(target).toString(), length: Number(/, (\d+)/.exec(line)?.[1]) };
    case 'fsync':
    case 'fdatasync':
      return { is: 'synced', file: bytesIn(target).toString() };
    case 'read':
    case 'recvfrom':
      return target.startsWith('TCP')
        ? { is: 'received', from: target, text: quotedBytes(line).toString() }
        : null;
    default:
      return target.startsWith('TCP') ? { is: 'sent', to: target, text: quotedBytes(line).toString() } : null;
  }
}

function toWrite(file: string, { offset, bytes }: { offset: number; bytes: Buffer }): Call {
  if (file.includes('/wire/') && offset === 0) return { is: 'noted', handed: handedIn(bytes) };
  return { is: 'written', file, offset, bytes };
}

function quotedBytes(line: string): Buffer {
  return Buffer.concat([...line.matchAll(/"([^"]*)"/g)].map(([, text = '']) => bytesIn(text)));
}

function bytesIn(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
}

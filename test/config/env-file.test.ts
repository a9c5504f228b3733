import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Config, resolveConfig } from '../../src/config/config.ts';
import { makeTempDir } from '../support/temp-home.ts';

/* A line of `.env` means what it says, or it is told with its file and line: nothing of it is dropped silently. */

const cwd = makeTempDir();
const envFile = join(cwd, '.env');

function configOf(text: string | Buffer): Config {
  writeFileSync(envFile, text);
  return resolveConfig({ cwd, envFile });
}

function problemOf(text: string | Buffer): string {
  try {
    configOf(text);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

const FORM = 'write NAME=value, or NAME="value" where';

it('a # begins a comment behind a blank, and is a character of its own in quotes', () => {
  const text =
    'TUMA_SENDER=DUKA # the shop\nTUMA_RATE= # not set\nTUMA_OPT_OUT_TEXT=" STOP*456*9*5#" # theirs\n';
  expect(configOf(text)).toMatchObject({
    sender: 'DUKA',
    ratePerSecond: 50,
    optOutText: ' STOP*456*9*5#',
  });
  expect(configOf("TUMA_SENDER='a#b'\n").sender).toBe('a#b');
});

describe('a line that would be dropped, or cut', () => {
  it.each([
    ['the documented opt-out text', 'TUMA_OPT_OUT_TEXT= CANARY*456*9*5#', 'TUMA_OPT_OUT_TEXT', FORM],
    ['a # in a secret', 'export TUMA_API_SECRET=CANARY#9f3K', 'TUMA_API_SECRET', FORM],
    ['a # at its begin', 'TUMA_HOST=#1', 'TUMA_HOST', FORM],
    ['no = behind the name', 'TUMA_RATE 5/s', 'TUMA_RATE', FORM],
    ['a colon', 'TUMA_PRICE: 0.80', 'TUMA_PRICE', FORM],
    ['a colon before a value with =', 'TUMA_API_TOKEN: CANARY=', 'TUMA_API_TOKEN', FORM],
    ['a name alone', '  export TUMA_SENDER', 'TUMA_SENDER', FORM],
    ['no capitals', 'tuma_rate=5/s', 'tuma_rate', FORM],
    ['a name of before', 'TUMA_SENDER=CANARY', 'TUMA_SENDER', 'is given twice'],
    ['a quote that stays open', 'TUMA_HOST="CANARY', 'TUMA_HOST', FORM],
    ['more than the quotes', "TUMA_HOST='CANARY'x", 'TUMA_HOST', FORM],
    ['another word before it', 'declare -x TUMA_HOST="CANARY"', 'TUMA_HOST', FORM],
    ['two in one line', 'TUMA_HOST=a TUMA_API_KEY=CANARY', 'TUMA_HOST', FORM],
    ['two in one line, as a shell has it', 'export TUMA_HOST=a;TUMA_PORT=1', 'TUMA_HOST', FORM],
    ['quotation marks of a letter', 'TUMA_HOST=“CANARY”', 'TUMA_HOST', FORM],
    ['the end of a line in a shell', 'TUMA_HOST=CANARY;', 'TUMA_HOST', FORM],
    ['a blank that counts', 'TUMA_OPT_OUT_TEXT= CANARY', 'TUMA_OPT_OUT_TEXT', FORM],
  ])('is told with its place and without its value: %s', (_what, line, name, words) => {
    const problem = problemOf(`TUMA_SENDER=ONE\r\n# TUMA_RATE 5/s\n\n${line}\nTUMA_ZONE=Africa/Kampala\n`);
    expect(problem).toContain(`${name} (${envFile}:4): ${words}`);
    expect(problem).toContain('A setting is wrong');
    expect(problem).not.toContain('CANARY');
  });

  it.each(['TUMA_SENDER=DU$KA', 'TUMA_SENDER="DU$KA"'])(
    'is refused with a $, which Docker Compose would replace: %s',
    (line) => {
      expect(problemOf(`${line}\n`)).toContain('a value with a $ needs single quotes');
      expect(configOf("TUMA_SENDER='DU$KA'\n").sender).toBe('DU$KA');
    },
  );

  it('does not take the next line for the value of an empty setting', () => {
    expect(configOf('TUMA_SENDER= \nTUMA_RATE=5/s\n')).toMatchObject({ sender: null, ratePerSecond: 5 });
  });

  it('is not all that follows a comment, where lines end with CR alone', () => {
    expect(configOf('# mine\rTUMA_RATE=5/s\r')).toMatchObject({ ratePerSecond: 5 });
  });

  it.each([
    ['UTF-16', Buffer.from('\ufeffTUMA_RATE=5/s\n', 'utf16le')],
    ['UTF-16 without its mark', Buffer.from('TUMA_RATE=5/s\n', 'utf16le')],
    ['Latin-1', Buffer.from('TUMA_SENDER=CAF\u00c9\n', 'latin1')],
  ])('is not read at all in a file that is no UTF-8: %s', (_encoding, bytes) => {
    expect(problemOf(bytes)).toContain(`${envFile}: is not text in UTF-8`);
  });

  it('is no matter where it is a line of other programs', () => {
    const others = 'PATH /bin\nDEBUG\nPASSWORD=a#b\nA=1\nA=2\nNAME: x\nOPEN="x\nMY_TUMA_RATE 1\n';
    expect(configOf(`${others}TUMA_SENDER=DUKA`).sender).toBe('DUKA');
  });

  it('is not the first one, for the mark that an editor puts before it', () => {
    expect(configOf('\ufeffTUMA_SENDER=DUKA\n').sender).toBe('DUKA');
  });
});

it.each([
  'TUMA_SENDER=DUKA',
  '  export  TUMA_SENDER =DUKA  \r',
  'TUMA_SENDER="DU KA" # c',
  "TUMA_SENDER=' DUKA '",
  'TUMA_SENDER=DU KA # c',
  'TUMA_SENDER=a=b',
])('what is well written is read as Node reads it: %j', (line) => {
  const text = `${line}\nTUMA_RATE=7/s\n`;
  expect(configOf(text)).toMatchObject({ sender: parseEnv(text)['TUMA_SENDER']?.trim(), ratePerSecond: 7 });
});

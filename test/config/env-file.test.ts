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

describe('a # in a value without quotes', () => {
  it.each([
    [
      'the documented opt-out text',
      'TUMA_RATE=5/s\nTUMA_OPT_OUT_TEXT= STOP*456*9*5#\n',
      'TUMA_OPT_OUT_TEXT',
      2,
    ],
    ['a secret', 'TUMA_API_KEY=k\nexport TUMA_API_SECRET=CANARY#9f3K\n', 'TUMA_API_SECRET', 2],
    ['at its begin', 'TUMA_SENDER=#1\n', 'TUMA_SENDER', 1],
  ])(
    'is refused where no blank precedes it, and nothing of the value is told: %s',
    (_what, text, name, line) => {
      const problem = problemOf(text);
      expect(problem).toContain(
        `${name} (${envFile}:${line}): has a # that no blank precedes; put the value into`,
      );
      expect(problem).not.toMatch(/CANARY|9f3K|STOP/);
    },
  );

  it('begins a comment behind a blank, and is a character of its own in quotes', () => {
    const text =
      'TUMA_SENDER=DUKA # the shop\nTUMA_RATE= # not set\nTUMA_OPT_OUT_TEXT=" STOP*456*9*5#" # theirs\n';
    expect(configOf(text)).toMatchObject({
      sender: 'DUKA',
      ratePerSecond: 50,
      optOutText: ' STOP*456*9*5#',
    });
    expect(configOf("TUMA_SENDER='a#b'\n").sender).toBe('a#b');
  });
});

describe('a line that would be dropped, or cut', () => {
  it.each([
    ['no = behind the name', 'TUMA_RATE 5/s', 'TUMA_RATE', 'is not followed by =; write NAME=value'],
    ['a colon', 'TUMA_PRICE: 0.80', 'TUMA_PRICE', 'is not followed by =; write NAME=value'],
    ['a colon before a value with =', 'TUMA_API_TOKEN: CANARY=', 'TUMA_API_TOKEN', 'is not followed by ='],
    ['a name alone', '  export TUMA_SENDER', 'TUMA_SENDER', 'is not followed by ='],
    ['no capitals', 'tuma_rate=5/s', 'tuma_rate', 'is not a setting; names are written in capitals'],
    ['a name of before', 'TUMA_SENDER=CANARY', 'TUMA_SENDER', 'is given twice, in line 1 too'],
    ['a quote that stays open', 'TUMA_HOST="CANARY', 'TUMA_HOST', 'begins with a quote that is not closed'],
    ['more than the quotes', "TUMA_HOST='CANARY'x", 'TUMA_HOST', 'goes on behind its closing quote'],
    [
      'another word before it',
      'declare -x TUMA_HOST="CANARY"',
      'TUMA_HOST',
      'does not begin its line; write',
    ],
    ['a mark that nobody sees', '\u200bTUMA_HOST=CANARY', 'TUMA_HOST', 'does not begin its line; write'],
    [
      'two in one line',
      'TUMA_HOST=a TUMA_API_KEY=CANARY',
      'TUMA_HOST',
      'goes on with TUMA_API_KEY; give each',
    ],
    [
      'two in one line, as a shell has it',
      'export TUMA_HOST=a;TUMA_PORT=1',
      'TUMA_HOST',
      'goes on with TUMA_',
    ],
    [
      'quotation marks of a letter',
      'TUMA_HOST=“CANARY”',
      'TUMA_HOST',
      'begins with a quotation mark that is',
    ],
    [
      'the end of a line in a shell',
      'TUMA_HOST=CANARY;',
      'TUMA_HOST',
      'ends with a ;, which only a shell reads',
    ],
    ['a blank that counts', 'TUMA_OPT_OUT_TEXT= CANARY', 'TUMA_OPT_OUT_TEXT', 'begins with a blank; put the'],
  ])('is told with its place and without its value: %s', (_what, line, name, words) => {
    const problem = problemOf(`TUMA_SENDER=ONE\r\n# TUMA_RATE 5/s\n\n${line}\nTUMA_ZONE=Africa/Kampala\n`);
    expect(problem).toContain(`${name} (${envFile}:4): ${words}`);
    expect(problem).toContain('A setting is wrong');
    expect(problem).not.toContain('CANARY');
  });

  it('does not take the next line for the value of an empty setting', () => {
    expect(configOf('TUMA_SENDER= \nTUMA_RATE=5/s\n')).toMatchObject({ sender: null, ratePerSecond: 5 });
  });

  it('counts the lines of values that go on over lines, and reads none of them for a setting', () => {
    const key = "KEY='-----BEGIN\nTUMA_RATE 5/s\nRATE=5/s\n'\n";
    expect(configOf(key).ratePerSecond).toBe(50);
    expect(problemOf(`${key}TUMA_RATE\n`)).toContain(`TUMA_RATE (${envFile}:5): is not followed by =`);
  });

  it.each([
    ['of ours, whose value would show the secret', 'TUMA_SENDER="DUKA'],
    ['of others', 'GREETING="tis the season'],
  ])('is told where a quote that was never closed goes on over it: %s', (_whose, open) => {
    const problem = problemOf(`# .env\n${open}\nA=b\n export TUMA_API_SECRET =CANARY\nB=x"\n`);
    expect(problem).toContain(`TUMA_API_SECRET (${envFile}:4): stands within the quotes that open in line 2`);
    expect(problem).not.toContain('CANARY');
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
  '  export  TUMA_SENDER = DUKA  \r',
  'TUMA_SENDER="DU KA" # c',
  "TUMA_SENDER=' DUKA '",
  'TUMA_SENDER=`a"b\'c`',
  'TUMA_SENDER=a"b',
  'TUMA_SENDER=a=b;c',
  "TUMA_SENDER=it's # c",
  'X="a\nb"\nTUMA_SENDER=DUKA',
])('what is well written is read as Node reads it: %j', (line) => {
  const text = `${line}\nTUMA_RATE=7/s\n`;
  expect(configOf(text)).toMatchObject({ sender: parseEnv(text)['TUMA_SENDER']?.trim(), ratePerSecond: 7 });
});

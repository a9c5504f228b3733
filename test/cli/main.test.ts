import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { nameOf } from '../../src/cli/command.ts';
import { SETTING_NAMES } from '../../src/config/schema.ts';
import { ROOT } from '../support/processes.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { tuma } from './command-line.ts';

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}

it('--version is that of the package, and no flag of a command', async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect(await tuma(['--version'])).toEqual({ code: 0, stdout: `tuma ${version}\n`, stderr: '' });
  expect(JSON.parse((await tuma(['--json', '--version'])).stdout)).toEqual({ version });
  expect((await tuma(['status', '--version'])).code).toBe(2);
});

describe('help', () => {
  it('lists every command and the exit codes, on stdout, with exit code 0', async () => {
    const { code, stdout, stderr } = await tuma(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const { usage } of COMMANDS) expect(stdout).toContain(`\n  ${usage} `);
    expect(stdout).toMatch(/Exit codes:[^]*130/);
    expect((await tuma([])).stdout).toBe(stdout);
    for (const args of [['help'], ['-h'], ['help', '--json'], ['--json', '--help'], ['help', 'help']])
      expect((await tuma(args)).stdout).toBe(stdout);
  });

  it('of a command lists its own flags and those of every command', async () => {
    const { code, stdout } = await tuma(['help', 'report']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/--format[^]*--out[^]*--json[^]*--show-numbers/);
    expect((await tuma(['report', '--help'])).stdout).toBe(stdout);
  });

  it('of every command can be asked for', async () => {
    for (const name of COMMANDS.map(nameOf)) {
      const { code, stdout } = await tuma([name, '--help']);
      expect({ name, code }).toEqual({ name, code: 0 });
      expect(stdout).toContain(`Usage: tuma ${name}`);
    }
  });
});

describe('a wrong command line', () => {
  it.each([
    ['a command that does not exist', ['statsu'], "Unknown command 'statsu'.", 'Did you mean status?'],
    ['help of what does not exist', ['help', 'statsu'], "Unknown command 'statsu'.", 'Did you mean status?'],
    ['its own help', ['statsu', '--help'], "Unknown command 'statsu'.", 'Did you mean status?'],
    ['a flag that does not exist', ['status', '--wtch'], "Unknown option '--wtch'.", 'Did you mean --watch?'],
    ['a missing argument', ['pause'], "Missing required argument 'campaign'.", 'See tuma pause --help.'],
    ['an argument too many', ['balance', 'now'], /Too many arguments/, 'See tuma balance --help.'],
    ['a name of two words', ['report', 'sacco', 'nov'], /got 2: sacco, nov\.$/, 'See tuma report --help.'],
    ['a number too many', ['balance', '0712345678'], /got 1: 071\*{4}678\.$/, 'See tuma balance --help.'],
    [
      'a value that is not a choice',
      ['report', 'x', '--format', 'pdf'],
      /Allowed choices are table, json, csv/,
      'See tuma report --help.',
    ],
    ['no command', ['--json'], 'Which command?', 'See tuma --help.'],
    [
      'a secret on the command line',
      ['balance', '--api-secret', 'x'],
      "Unknown option '--api-secret'.",
      null,
    ],
  ])('%s: exit code 2, words and advice', async (_what, args, message, hint) => {
    const { code, stdout, stderr } = await tuma([...args, '--json']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const { error } = JSON.parse(lastLine(stderr)) as { error: Record<string, unknown> };
    expect(error).toMatchObject({ code: 'usage', where: null });
    expect(error['message']).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
    if (hint !== null) expect(error['hint']).toBe(hint);
  });

  it('is told in words without --json', async () => {
    const { code, stdout, stderr } = await tuma(['statsu']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe("error: Unknown command 'statsu'.\n  Did you mean status?\n");
  });
});

describe('wrong settings', () => {
  it('are all reported at once, with their sources, before anything is done', async () => {
    const cwd = makeTempDir();
    writeFileSync(join(cwd, '.env'), 'TUMA_PORT=abc\nTUMA_RATTE=1\n');
    writeFileSync(join(cwd, 'tuma.yaml'), 'concurrency: 0\n');
    const { code, stdout, stderr } = await tuma(['status'], { env: { TUMA_RATE: 'fast' }, cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('4 settings are wrong');
    for (const words of [
      'TUMA_PORT (.env)',
      'TUMA_RATTE (.env)',
      'TUMA_CONCURRENCY (tuma.yaml)',
      'TUMA_RATE (environment)',
    ]) {
      expect(stderr).toContain(words);
    }
  });

  it('are shown by doctor, each with its source, beside those that are right; secrets never', async () => {
    const env = {
      TUMA_RATE: 'fast',
      TUMA_ZONNE: 'UTC',
      TUMA_SENDER: 'DUKA',
      TUMA_WEBHOOK_TOKEN: 'CANARY',
      TUMA_API_SECRET: 'CANARY_secret',
    };
    const { code, stdout, stderr } = await tuma(['doctor', '--json'], { env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const { ok, checks, settings } = JSON.parse(stdout) as Record<string, unknown>;
    expect(ok).toBe(false);
    const wrong = (start: string) => ({
      name: 'setting',
      state: 'fail',
      detail: expect.stringMatching(`^${start}`) as string,
      hint: null,
    });
    expect(checks).toEqual([
      expect.objectContaining({ name: 'node', state: 'ok' }),
      expect.objectContaining({ name: 'sqlite', state: 'ok' }),
      wrong('TUMA_ZONNE \\(environment\\): is not a setting; did you mean TUMA_ZONE'),
      wrong('TUMA_WEBHOOK_TOKEN \\(environment\\): is not 22'),
      wrong('TUMA_RATE \\(environment\\): "fast" is not a rate'),
      wrong('TUMA_API_KEY \\(not set\\), TUMA_API_SECRET \\(environment\\): must be given together'),
    ]);
    expect(settings).toHaveLength(SETTING_NAMES.length);
    for (const row of [
      { name: 'TUMA_RATE', value: 'fast', from: 'environment' },
      { name: 'TUMA_SENDER', value: 'DUKA', from: 'environment' },
      { name: 'TUMA_API_SECRET', value: '[secret]', from: 'environment' },
      { name: 'TUMA_PORT', value: '8080', from: 'default' },
      { name: 'TUMA_PRICE', value: null, from: 'default' },
    ])
      expect(settings).toContainEqual(row);
    const text = await tuma(['doctor'], { env });
    expect(text.stdout).toMatch(
      /\n✗ setting +TUMA_RATE \(environment\): "fast" is not a rate[^]*\nTUMA_RATE\tfast\tenv/,
    );
    expect(text.stderr).toMatch(/^Correct these first: /);
    expect(stdout + text.stdout).not.toContain('CANARY');
  });

  it('can be flags, which come first', async () => {
    const home = makeTempDir();
    const { stdout } = await tuma(['doctor', '--json', '--home', home, '--rate', '7/s'], {
      env: { TUMA_RATE: '5/s', TUMA_HOME: '/nowhere' },
    });
    const { settings } = JSON.parse(stdout) as { settings: { name: string; value: string; from: string }[] };
    expect(settings).toContainEqual({ name: 'TUMA_RATE', value: '7/s', from: 'flag' });
    expect(settings).toContainEqual({ name: 'TUMA_HOME', value: home, from: 'flag' });
  });
});

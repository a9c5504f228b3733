import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/config/secret.ts';
import { maskMobile, maskText } from '../../src/domain/text/mask.ts';
import { createLog } from '../../src/system/log.ts';
import { ROOT, startProcess } from '../support/processes.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';

const SECRET = 'CANARY_apisecret_5f3a';
const MOBILE = '254712345678';
const TEXT = 'Dear Wanjiku, CANARY_text';

function logged(fields: object, message = 'something happened', pretty = false): string {
  const lines: string[] = [];
  const log = createLog({ write: (line) => lines.push(line), pretty, secrets: [new Secret(SECRET), null] });
  log.warn(fields, message);
  return lines.join('');
}

describe('what never gets out', () => {
  const leaks: [string, object, string?][] = [
    [
      'credentials by their name',
      { apikey: 'CANARY1', apiSecret: 'CANARY2', 'X-API-Key': 'CANARY3', authorization: 'Bearer CANARY4' },
    ],
    [
      'credentials deep inside',
      { request: { headers: { Authorization: 'CANARY' }, list: [{ api_secret: 'CANARY' }] } },
    ],
    [
      'a known secret under any name',
      { anything: `x${SECRET}y`, deep: { raw: SECRET } },
      `failed with ${SECRET}`,
    ],
    [
      'a known secret in an error and its cause',
      { error: new Error(`post ${SECRET}`, { cause: new Error(SECRET) }) },
    ],
    [
      'texts',
      { message: TEXT, text: TEXT, body: { message: TEXT }, fields: [TEXT], template: TEXT, rendered: TEXT },
    ],
    [
      'a token in an address',
      { url: '/webhooks/CANARY_token?x=1', to: 'http://h/p?apikey=CANARY&b=1' },
      'GET /webhooks/CANARY_t',
    ],
    [
      'full numbers by their name',
      { mobile: MOBILE, msisdn: Number(MOBILE), to: `+${MOBILE}`, phone: '0712345678' },
    ],
    [
      'full numbers inside other words',
      { words: `no route to ${MOBILE}.`, list: [`0712345678`] },
      `gave up on +${MOBILE}`,
    ],
    ['numbers in an error', { error: new Error(`refused ${MOBILE}`) }],
    ['bytes', { payload: Buffer.from(TEXT), view: new Uint8Array(Buffer.from(MOBILE)) }],
  ];
  it.each(leaks)('%s', (_what, fields, message) => {
    for (const pretty of [false, true]) {
      const line = logged(fields, message, pretty);
      expect(line).not.toContain('CANARY');
      expect(line).not.toMatch(/254712345678|0712345678|712345678/);
    }
  });

  it('what could start a second line, or control a terminal [X25]', () => {
    const forged = 'x\n{"level":"error"}\u001b]0;title\u0007\u009b2J\u202e';
    expect(logged({ name: forged }, forged).trim().split('\n')).toHaveLength(1);
    const pretty = logged({ name: forged }, forged, true);
    expect(pretty.trim().split('\n')).toHaveLength(1);
    expect(pretty).not.toContain('\u001b]');
    for (const sign of ['\u009b', '\u202e']) {
      expect(pretty).not.toContain(sign);
      expect(logged({ name: forged }, forged)).not.toContain(sign);
    }
  });
});

describe('what does get out', () => {
  it('is one JSON line with level, time and the facts', () => {
    const line = JSON.parse(
      logged({ campaign: 'bf-1', batch: 7, ms: 12.5, none: null, mobile: MOBILE }),
    ) as object;
    expect(line).toMatchObject({
      level: 'warn',
      campaign: 'bf-1',
      batch: 7,
      ms: 12.5,
      none: null,
      mobile: '2547****5678',
      msg: 'something happened',
    });
  });

  it('tells an error by its type, code and place', () => {
    const error = Object.assign(new TypeError('no such file'), { code: 'ENOENT' });
    expect(JSON.parse(logged({ error })) as object).toMatchObject({
      error: {
        type: 'TypeError',
        code: 'ENOENT',
        what: 'no such file',
        at: expect.stringContaining('log.test') as string,
      },
    });
  });

  it('survives what cannot be told: circles, depth, big numbers', () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    expect(logged({ circle, big: 10n ** 20n })).toContain('[deep]');
  });

  it('goes to a file that only this user can read', async () => {
    const file = join(makeTempDir(), 'logs', 'tuma.log');
    const log = createLog({ file });
    log.info({ batch: 1 }, 'first');
    await waitFor(() => readFileSync(file, 'utf8').includes('first'), { what: 'the line in the file' });
    log.flush();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

it('a reader of stderr that goes away does not end the process', async () => {
  const script = `
    import { createLog } from './src/system/log.ts';
    const log = createLog();
    for (let i = 0; i < 2000; i++) log.warn({ i }, 'still here');
    await new Promise((resolve) => setTimeout(resolve, 50));
    log.warn({}, 'and here');
    log.flush();
    console.log('survived');`;
  const command = `{ '${process.execPath}' --input-type=module-typescript -e "$0" 2>&3 3>&-; } 3>&1 1>&4 | true`;
  const child = startProcess('sh', ['-c', `exec 4>&1; ${command}`, script], { cwd: ROOT });
  expect(await child.exited).toEqual({ code: 0, signal: null });
  expect(child.stdout()).toContain('survived');
});

it('masks the middle of a number and leaves short ones no digit', () => {
  expect(maskMobile('+254712345678')).toBe('2547****5678');
  expect(maskMobile('12345')).toBe('****');
  expect(maskText('ids b-12-3, 17640.5 and x254712345678-y')).toBe('ids b-12-3, 17640.5 and x2547****5678-y');
});

import { describe, expect, it } from 'vitest';
import { give, KEY, SECRET, startV2Sandbox, startV2Server, TOKEN } from '../provider/account/v2-support.ts';
import { tuma } from './command-line.ts';
import { connectV2Env, failure } from './v2-command-line.ts';

describe('credits', () => {
  it.each(['bearer', 'headers', 'basic', 'query'])(
    'are shown by %s, with the answer as it came',
    async (auth) => {
      const sandbox = await startV2Sandbox();
      const env = connectV2Env(sandbox.url, { TUMA_V2_AUTH: auth });
      const ran = await tuma(['credits'], { env });
      expect(ran).toEqual({
        code: 0,
        stdout: 'credits  10,000.00\nanswer   {"status":"success","data":{"credits":"10000.00"}}\n',
        stderr: '',
      });
      expect(JSON.parse((await tuma(['credits', '--json'], { env })).stdout)).toEqual({
        credits: '10000.00',
        raw: '{"status":"success","data":{"credits":"10000.00"}}',
      });
    },
  );

  it('that cannot be read are null, and the answer is shown all the same', async () => {
    const server = await startV2Server(give({ left: 'plenty' }));
    const env = connectV2Env(server.url);
    expect((await tuma(['credits'], { env })).stdout).toBe(
      'credits  no amount that can be read\nanswer   {"left":"plenty"}\n',
    );
    expect(JSON.parse((await tuma(['credits', '--json'], { env })).stdout)).toMatchObject({ credits: null });
  });

  it('mask a number in the answer, unless they are told not to', async () => {
    const server = await startV2Server(give({ credits: '1.00', phone: '254712345678' }));
    const env = connectV2Env(server.url);
    const masked = await tuma(['credits', '--json'], { env });
    expect(masked.stdout).toContain('2547****5678');
    expect(masked.stdout).not.toContain('254712345678');
    expect((await tuma(['credits', '--show-numbers'], { env })).stdout).toContain('254712345678');
  });

  it('refused are exit code 4, in the words of the service', async () => {
    const sandbox = await startV2Sandbox();
    const ran = await tuma(['credits', '--json'], {
      env: connectV2Env(sandbox.url, { TUMA_API_TOKEN: 'expired' }),
    });
    expect(failure(ran)).toMatchObject({
      exit: 4,
      code: 'credentials',
      message: 'The v2 API refused the credentials: Invalid API key or secret',
      hint: expect.stringContaining('TUMA_API_TOKEN') as string,
    });
  });

  it.each([
    [{ TUMA_BASE_URL: '' }, 4, 'credentials', 'Not set: TUMA_BASE_URL.'],
    [{ TUMA_API_TOKEN: '' }, 4, 'credentials', 'Not set: TUMA_API_TOKEN.'],
    [
      { TUMA_BASE_URL: 'http://127.0.0.1:1' },
      1,
      'provider_unreachable',
      /^The v2 API did not answer: .*ECONNREFUSED/,
    ],
  ])('with %j end with %i', async (settings, exit, code, message) => {
    const env = connectV2Env('http://127.0.0.1:1', settings);
    const shown = failure(await tuma(['credits', '--json'], { env }));
    expect(shown).toMatchObject({ exit, code });
    expect(shown['message']).toMatch(message);
  });

  it.each([
    [give('<html>', { status: 200 }), 'HTTP 200, a web page instead of an answer'],
    [give('', { status: 500 }), 'HTTP 500'],
    [give({ message: '\u001b[2Jbusy 254712345678' }, { status: 429 }), 'HTTP 429, [2Jbusy 2547****5678'],
  ])('that the service does not give say why: case %#', async (answer, words) => {
    const server = await startV2Server(answer);
    const ran = await tuma(['credits', '--json'], { env: connectV2Env(server.url) });
    expect(failure(ran)).toMatchObject({
      exit: 1,
      code: 'provider_answer',
      message: `The v2 API did not give it: ${words}`,
    });
  });

  it.each(['bearer', 'headers', 'basic', 'query'])(
    'by %s print no credential and no URL that holds one, whatever goes wrong',
    async (auth) => {
      const answers: Parameters<typeof startV2Server>[0][] = [
        (response, request) =>
          give({ message: `${request.url}${JSON.stringify(request.headers)}` }, { status: 401 })(response),
        (response, request) => give({ url: request.url, headers: request.headers })(response),
        (response) => response.destroy(),
      ];
      for (const answer of answers) {
        const server = await startV2Server(answer);
        const env = connectV2Env(server.url, { TUMA_V2_AUTH: auth });
        for (const flags of [['--json'], []]) {
          const { stdout, stderr } = await tuma(['credits', ...flags], { env });
          for (const hidden of [TOKEN, KEY, SECRET, Buffer.from(`${KEY}:${SECRET}`).toString('base64')])
            expect(stdout + stderr).not.toContain(hidden);
        }
      }
    },
  );
});

describe('doctor', () => {
  const v2Of = async (env: Record<string, string>) => {
    const { stdout } = await tuma(['doctor', '--json'], { env });
    const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
    return checks.find(({ name }) => name === 'v2');
  };

  it('looks at the v2 API where it is set, and never fails for it, for sending does not need it', async () => {
    const sandbox = await startV2Sandbox();
    expect(await v2Of(connectV2Env(sandbox.url))).toMatchObject({
      state: 'ok',
      detail: 'credits can be asked for (bearer)',
    });
    expect(await v2Of(connectV2Env(sandbox.url, { TUMA_API_TOKEN: 'expired' }))).toMatchObject({
      state: 'warn',
      detail: 'The v2 API refused the credentials: Invalid API key or secret',
    });
    expect(await v2Of(connectV2Env(sandbox.url, { TUMA_API_TOKEN: '' }))).toMatchObject({
      state: 'warn',
      detail: 'Not set: TUMA_API_TOKEN.',
    });
    expect(await v2Of(connectV2Env(sandbox.url, { TUMA_BASE_URL: '' }))).toBeUndefined();
  });
});

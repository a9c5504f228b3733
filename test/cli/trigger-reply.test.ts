import { describe, expect, it } from 'vitest';
import { webhook } from '../sandbox/webhook.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { tuma } from './command-line.ts';
import { failure } from './v2-command-line.ts';

const WEBHOOK_TOKEN = 'abcdefghijklmnopqrstuvwxyz';

async function collector() {
  const { url, got } = await webhook();
  const env = { TUMA_HOME: makeTempDir(), TUMA_PORT: new URL(url).port, TUMA_WEBHOOK_TOKEN: WEBHOOK_TOKEN };
  return {
    env,
    bodies: () => got.map(({ path, body }) => [path, JSON.parse(body) as Record<string, unknown>]),
  };
}

describe('trigger reply', () => {
  it('posts the record of API document 2.5, from the number and with the text that were given', async () => {
    const { env, bodies } = await collector();
    const args = ['trigger', 'reply', '0712 345 678', 'STOP', '--json'];
    const ran = await tuma(args, { env: { ...env, TUMA_SENDER: 'DUKA' } });
    const received_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/) as string;
    expect(JSON.parse(ran.stdout)).toEqual({
      event: 'sms.received',
      mobile: '2547****5678',
      shortcode: 'DUKA',
      received_at,
      status: 200,
    });
    expect(bodies()).toEqual([
      [
        `/webhooks/${WEBHOOK_TOKEN}`,
        { event: 'sms.received', mobile: '254712345678', shortcode: 'DUKA', message: 'STOP', received_at },
      ],
    ]);
  });

  it('makes up what is not given, and says no number in full', async () => {
    const { env, bodies } = await collector();
    const { code, stdout } = await tuma(['trigger', 'reply'], { env });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'The collector took the reply of 2547****0000 to TUMA.\n',
    });
    expect(bodies()[0]?.[1]).toMatchObject({ mobile: '254700000000', message: 'Asante!' });
  });

  it('refuses what is no number, without repeating it, and posts nothing', async () => {
    const { env, bodies } = await collector();
    const ran = await tuma(['trigger', 'reply', '0712345', '--json'], { env });
    expect(failure(ran)).toMatchObject({ exit: 2, code: 'usage' });
    expect(ran.stderr).not.toContain('0712345');
    expect(bodies()).toEqual([]);
  });

  it('still posts reports', async () => {
    const { env, bodies } = await collector();
    await tuma(['trigger', 'report', 'm-1', 'UserNotExist'], { env });
    await tuma(['trigger', 'report', 'm-2'], { env });
    expect(bodies().map(([, body]) => body)).toEqual([
      { messageid: 'm-1', description: 'UserNotExist' },
      { messageid: 'm-2', description: 'DeliveredToTerminal' },
    ]);
  });
});

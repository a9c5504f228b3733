import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { LedgerStory } from '../support/ledger-story.ts';
import { tuma } from './command-line.ts';
import { postTo } from './posted.ts';

const ONE = '254700000001';
const MASKED = '2547****0001';
const SPACED = '+254 712 345 678';
const DASHED = '0712-345-679';

let story: LedgerStory;
let env: Record<string, string>;
beforeEach(async () => {
  story = await LedgerStory.begin();
  env = { TUMA_HOME: story.directory };
});

/** What a command shows as text and as JSON, and both with --show-numbers. */
async function shown(...args: string[]): Promise<{ masked: string; whole: string }> {
  const both = async (...flags: string[]) => {
    const ran = [
      await tuma([...args, ...flags], { env }),
      await tuma([...args, ...flags, '--json'], { env }),
    ];
    for (const { code, stderr } of ran) expect({ code, stderr }).toMatchObject({ code: 0 });
    return ran.map(({ stdout }) => stdout).join('');
  };
  return { masked: await both(), whole: await both('--show-numbers') };
}

/** Each part of it in text and JSON. */
const expectTwice = (text: string, part: string) => expect(text.split(part).length - 1).toBe(2);

describe('a full number is on no screen without --show-numbers', () => {
  it('in the names of the fields, the words and the type of a webhook', async () => {
    const contentType = `application/json; to=${ONE}`;
    await postTo(
      story,
      { [ONE]: { [DASHED]: 'x', at: '2026-11-27 09:00:00', cost: '0.80' } },
      { contentType },
    );
    await postTo(story, { messageid: 'm1', description: `Barred ${SPACED}` });
    const list = await shown('webhooks', 'list');
    expectTwice(list.masked, MASKED);
    expectTwice(list.masked, 'Barred 2547****5678');
    expect(list.masked).not.toMatch(/254700000001|712 345/);
    expectTwice(list.whole, ONE);
    expectTwice(list.whole, SPACED);

    const one = await shown('webhooks', 'inspect', '1');
    expectTwice(one.masked, `$.${MASKED}.071****679`);
    expectTwice(one.masked, `application/json; to=${MASKED}`);
    expect(one.masked).not.toMatch(/254700000001|345-679/);
    for (const kept of ['2026-11-27 09:00:00', '0.80', '127.0.0.1']) expectTwice(one.masked, kept);
    expectTwice(one.whole, `$.${ONE}.${DASHED}`);
    expectTwice(one.whole, `application/json; to=${ONE}`);
  });

  it('in a reply: whom it was sent to, and what it says; nor as the evidence of an opt-out', async () => {
    const reply = { event: 'sms.received', mobile: '254700000002', shortcode: ONE };
    const received_at = '2026-11-27T09:00:00+03:00';
    await postTo(story, { ...reply, message: 'STOP', received_at });
    await postTo(story, { ...reply, message: `Call ${SPACED} at 09:00, KES 1,500`, received_at });
    const inbox = await shown('inbox');
    expect(inbox.masked).not.toMatch(/254700000001|712 345/);
    expectTwice(inbox.masked, 'Call 2547****5678 at 09:00, KES 1,500');
    expect(inbox.masked).toContain(`"to":"${MASKED}"`);
    expect(inbox.whole).toContain(`"to":"${ONE}"`);
    expectTwice(inbox.whole, `Call ${SPACED} at 09:00, KES 1,500`);
    for (const args of [
      ['optouts', 'list'],
      ['optouts', 'list', '254700000002'],
    ]) {
      const optOuts = await shown(...args);
      expect(optOuts.masked).toContain(`replied "STOP" to ${MASKED}`);
      expect(optOuts.masked).not.toContain(ONE);
      expect(optOuts.whole).toContain(`replied "STOP" to ${ONE}`);
    }
  });

  it('as the account', async () => {
    const server = createServer((_request, response) =>
      response.end(JSON.stringify({ 'response-code': 200, credit: '1545.00', clientId: ONE })),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    env = { ...env, TUMA_MESSAGING_URL: `http://127.0.0.1:${port}`, TUMA_API_KEY: 'k', TUMA_API_SECRET: 's' };
    const balance = await shown('balance');
    expectTwice(balance.masked, MASKED);
    expect(balance.masked).not.toContain(ONE);
    expectTwice(balance.whole, ONE);

    const n = await story.launch({ messages: 1, account: ONE });
    await story.claim();
    await story.record(n, { 1: { to: 'sent' } });
    const statement = await shown('statement', '--from', '2026-11-01', '--to', '2026-11-30');
    expectTwice(statement.masked, MASKED);
    expect(statement.masked).not.toContain(ONE);
    expectTwice(statement.whole, ONE);
  });
});

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf, openPlace } from './harness.ts';

/* A service that refuses in three ways that no profile knows: a person says once what each of them means. */

const place = openPlace();
const FAMILIES = {
  credit: { status: 402, body: '{"error":"Insufficient funds, balance 12.40 for MOBILE"}' },
  plain: { status: 200, body: 'ERR 14: sender not allowed' },
  listed: { status: 200, body: '{"response-code":9001,"response-description":"Queued at gateway 7"}' },
};
/** What the service answers to each number. */
const answers = new Map<string, keyof typeof FAMILIES>();
let sends = 0;

const service = createServer((request, response) => void answer(request, response));
let env: Record<string, string>;

beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  env = { TUMA_MESSAGING_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}` };
});
afterAll(() => void service.close());

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { mobile = '' } = JSON.parse((await request.toArray()).join('')) as { mobile?: string };
  const { status, body } = request.url?.endsWith('checkbalance')
    ? { status: 200, body: '{"response-code":200,"credit":"500.00","clientId":"C-1"}' }
    : sent(mobile);
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

function sent(mobile: string): { status: number; body: string } {
  sends += 1;
  const family = answers.get(mobile);
  if (family !== undefined)
    return { ...FAMILIES[family], body: FAMILIES[family].body.replace('MOBILE', mobile) };
  const accepted = {
    'response-code': 200,
    mobile,
    messageid: `m-${sends}`,
    messagecost: '0.80',
    networkid: '1',
  };
  return { status: 200, body: JSON.stringify(accepted) };
}

const MOBILES = [0, 1, 2, 3, 4, 5, 6, 7].map((digit) => `25471200000${digit}`);
const csv = (mobiles: string[]) => `phone,name\n${mobiles.map((mobile) => `${mobile},Asha\n`).join('')}`;

async function launch(file: string, mobiles: string[], ...flags: string[]) {
  place().write(file, csv(mobiles));
  const args = [
    'launch',
    'job.yaml',
    '--contacts',
    file,
    '--wait',
    '--wait-reports',
    '0s',
    '--yes',
    ...flags,
  ];
  return place().tuma([...args, '--new-ledger', '--json'], { env });
}

describe('answers that the profile does not know', () => {
  let id = '';

  beforeAll(async () => {
    for (const [index, family] of (['credit', 'plain', 'listed'] as const).entries())
      for (const from of [0, 3]) answers.set(MOBILES[index + from] ?? '', family);
    const { code, stdout, stderr } = await launch('contacts.csv', MOBILES);
    expect([code, stderr]).toEqual([3, expect.any(String)]);
    const report = JSON.parse(stdout);
    id = report.campaign.id;
    expect(report.messages).toMatchObject({ sent: 2, uncertain: 6, rejected: 0 });
  });

  test('are grouped by status and content without the sent number, and said by list, status, plan and report [P6b]', async () => {
    const { answers: listed } = (await place().json(['answers', 'list'], { env })) as never as {
      answers: Record<string, unknown>[];
    };
    const group = { count: 2, messages: 2, meaning: null, mapped_by: null };
    expect(listed).toEqual([
      expect.objectContaining({
        ...group,
        http_status: 402,
        words: 'Insufficient funds, balance 12.40 for <mobile>',
      }),
      expect.objectContaining({
        ...group,
        http_status: 200,
        code: null,
        words: 'ERR 14: sender not allowed',
      }),
      expect.objectContaining({ ...group, http_status: 200, code: '9001', words: 'Queued at gateway 7' }),
    ]);
    const said =
      '2 messages wait for one decision: what does "Queued at gateway 7" mean? tuma answers map 3 MEANING';
    for (const args of [['status', id], ['status'], ['plan', 'job.yaml']]) {
      const { stderr, stdout } = await place().tuma(args, { env });
      expect(`${stdout}${stderr}`.replace(/\s+/g, ' '), args.join(' ')).toContain(said);
    }
    expect((await place().tuma(['report', id], { env })).stdout).toContain(said);
    const { decisions } = await place().json(['report', id], { env });
    expect(decisions).toHaveLength(3);
  });

  test('a wrong number or meaning is refused and decides nothing [P6b]', async () => {
    for (const [args, message] of [
      [['map'], "Missing required argument 'number'."],
      [['map', 'x', 'credit'], 'There is no answer x.'],
      [['map', '1'], "Missing required argument 'meaning'."],
      [['map', '1', 'credits'], expect.stringContaining("'credits' is invalid for argument 'meaning'")],
      [['map', '99', 'credit'], 'There is no answer 99.'],
      [['unmap', '99'], 'There is no answer 99.'],
    ] as const) {
      const ended = await place().tuma(['answers', ...args, '--json'], { env });
      expect(errorOf(ended).message).toEqual(message);
      expect(ended.code).toBe(2);
    }
    expect((await place().json(['report', id], { env })).messages).toMatchObject({ uncertain: 6 });
  });

  test('a mapping decides the messages that wait, and sends nothing [P6b]', async () => {
    const before = sends;
    const credit = await place().tuma(['answers', 'map', '1', 'credit', '--yes'], { env });
    expect(credit.stdout).toContain('2 messages are now rejected. Send them again with: tuma retry CAMPAIGN');
    expect(await place().json(['answers', 'map', '2', 'sender', '--yes'], { env })).toMatchObject({
      messages: 2,
    });
    expect(await place().json(['answers', 'map', '3', 'accepted', '--yes'], { env })).toMatchObject({
      messages: 2,
    });
    expect(await place().json(['answers', 'map', '3', 'accepted', '--yes'], { env })).toMatchObject({
      messages: 0,
    });
    const report = await place().json(['report', id], { env });
    expect(report.messages).toMatchObject({ sent: 4, uncertain: 0, rejected: 4 });
    expect(report.cost).toMatchObject({ charged: '1.60', unknown: 2 });
    expect(report['decisions']).toEqual([]);
    expect(report['reasons']).toEqual([
      expect.objectContaining({ state: 'rejected', reason: 'credit refused', count: 2, retry_helps: true }),
      expect.objectContaining({ state: 'rejected', reason: 'sender refused', count: 2, retry_helps: true }),
    ]);
    expect(sends).toBe(before);
    expect((await place().tuma(['verify'], { env })).code).toBe(0);
  });

  test('later answers are read by the mapping at once: accepted is sent, credit is rejected and pauses [P6b]', async () => {
    const accepted = JSON.parse((await launch('later.csv', [MOBILES[2] ?? ''], '--again')).stdout);
    expect(accepted.messages).toMatchObject({ sent: 1, uncertain: 0 });
    // So slowly that the first answer comes before the next message goes.
    const two = [MOBILES[0] ?? '', MOBILES[6] ?? ''];
    const refused = await launch('refused.csv', two, '--again', '--rate', '1/s', '--wait-paused', '0s');
    expect(refused.code).toBe(5);
    expect(JSON.parse(refused.stdout).messages).toMatchObject({ rejected: 1, queued: 1 });
    const { campaigns } = (await place().json(['status'], { env })) as never as { campaigns: object[] };
    expect(campaigns).toContainEqual(expect.objectContaining({ state: 'paused', reason: 'balance' }));
  });

  test('unmap takes back what it decided, and no retry sends by a young mapping [P6b]', async () => {
    const before = sends;
    expect(await place().json(['retry', id], { env })).toMatchObject({ retried: 0, too_young: 4 });
    expect(await place().json(['answers', 'unmap', '3'], { env })).toMatchObject({ messages: 3 });
    expect((await place().json(['report', id], { env })).messages).toMatchObject({ sent: 2, uncertain: 2 });
    expect(sends).toBe(before);
    expect(await place().json(['answers', 'unmap', '3'], { env })).toMatchObject({ unmapped: false });
  });
});

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { contacts, errorOf, jobFile, mobile, openPlace } from './harness.ts';

/* One home from its first plan to its backup: every command where all goes well. The tests go on from one another. */

const place = openPlace({ env: { TUMA_RATE: 'unlimited' } });
const DIRTY = `${contacts(6)}0700000000,Again\n07,Short\n0700000099,\n`;
const COUNTS = { read: 9, planned: 6, unchanged: 0, duplicate: 1, invalid: 2, suppressed: 0 };
const known = { first: '', second: '' };

test('a plan tells rows, segments, cost and texts, writes the rejects, and launches nothing', async () => {
  place().write('contacts.csv', DIRTY);
  const [text, document] = [
    await place().tuma(['plan', 'job.yaml']),
    await place().json(['plan', 'job.yaml']),
  ];
  expect([text.code, text.stderr]).toEqual([0, '']);
  expect(text.stdout).not.toContain('\u001b');
  expect(text.stdout).toMatch(/^promo \(transactional, from DUKA\)\n/);
  expect(text.stdout).toMatch(/\nrows +9 read, 6 to send, 3 not\n/);
  expect(text.stdout).toMatch(
    /\ncost +KES 4\.80 \(price configured\)\nbalance +KES 10,000\.00, then 9,995\.20\n/,
  );
  expect(text.stdout).toMatch(/\n {2}line 2 \(1 segment, the longest\): Hi Person 0, come today\.\n/);
  expect(document['rows']).toEqual(COUNTS);
  expect(document['cost']).toMatchObject({ basis: 'configured', lower: '4.80', upper: '4.80' });
  expect(document['balance']).toEqual({
    before: '10000.00',
    after_lower: '9995.20',
    after_upper: '9995.20',
    planned_before: { campaigns: [], cost: '0.00', more: 0, unpriced: 0 },
    left: '9995.20',
  });
  expect(readFileSync(place().path('rejects.csv'), 'utf8').split('\n')).toEqual([
    '\ufeffphone,name,tuma_line,tuma_reason,tuma_detail',
    expect.stringMatching(/^"=""07""",Short,9,too short,/),
    expect.stringMatching(/^"=""0700000099""",,10,missing name,/),
    expect.stringMatching(/^"=""0700000000""",Again,8,duplicate,the same as line 2$/),
    '',
  ]);
  expect(place().campaigns()).toEqual([]);
  expect(place().sandbox.stats().accepted).toBe(0);
});

test('an empty home is no error to status, and a clear one to what needs a campaign', async () => {
  expect(await place().json(['status'])).toEqual({ campaigns: [], workers: 0 });
  const asked = [
    ['report', 'x'],
    ['export', 'x', '--out', 'x.csv'],
    ['verify'],
    ['pause', 'x'],
    ['backup', 'b.db'],
  ];
  for (const ended of await Promise.all(asked.map((args) => place().tuma([...args, '--json'])))) {
    expect([ended.code, ended.stdout, errorOf(ended).code]).toEqual([2, '', 'not_found']);
    expect(errorOf(ended).hint).toContain('TUMA_HOME');
  }
});

test('a launch without a terminal needs --yes, and leaves nothing when it is missing [X36]', async () => {
  const ended = await place().tuma(['launch', 'job.yaml', '--json']);
  expect([ended.code, ended.stdout, errorOf(ended).code]).toEqual([2, '', 'declined']);
  expect(errorOf(ended).hint).toContain('--yes');
  expect(place().campaigns()).toEqual([]);
});

test('a launch activates and returns; with no worker alive it says so', async () => {
  const { code, stdout, stderr } = await place().tuma(['launch', 'job.yaml', '--yes', '--max-cost', '5']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^promo {2}running\n/);
  expect(stderr).toMatch(
    /Send 6 SMS \(6 segments, about KES 4\.80; balance 10,000\.00\)\nLaunched as (\w{8})\.\n/,
  );
  expect(stderr).toMatch(/No worker is alive: nothing is sent until `tuma serve` runs/);
  known.first = place().campaigns()[0]?.id ?? '';
  expect(place().campaigns()).toEqual([{ id: known.first, state: 'running', name: 'promo' }]);
});

test('the same launch goes on with it; another file of that name is refused with the difference [B6]', async () => {
  const again = await place().tuma(['launch', 'job.yaml', '--yes']);
  expect(again.stderr).toContain(`Campaign ${known.first} of these files is open already: going on with it.`);
  place().write('more.csv', contacts(7));
  place().write('other.yaml', jobFile({ message: '"Hi <<name>>!"' }));
  const [csv, both] = await Promise.all([
    place().tuma(['launch', 'job.yaml', '--contacts', 'more.csv', '--yes', '--json']),
    place().tuma(['launch', 'other.yaml', '--yes', '--json']),
  ]);
  expect([csv.code, errorOf(csv)]).toMatchObject([
    2,
    {
      code: 'campaign_changed',
      message: `Campaign ${known.first} (promo) is still running, and the contacts changed since it was launched`,
      hint: expect.stringContaining(`tuma cancel ${known.first}`),
    },
  ]);
  expect(errorOf(both).message).toContain('the job file and the template changed');
  expect(place().campaigns()).toHaveLength(1);
});

test('pause, rate and resume answer what they changed, and are content when it is so already', async () => {
  const verbs = [
    [['pause', 'promo'], true, 'paused'],
    [['pause', 'promo'], false, 'paused'],
    [['rate', 'promo', '80/s'], true, 'paused'],
    [['resume', 'promo'], true, 'running'],
    [['resume', 'promo'], false, 'running'],
  ] as const;
  for (const [args, changed, state] of verbs)
    expect(await place().json([...args])).toMatchObject({ changed, campaign: { id: known.first, state } });
  const status = await place().json(['status', 'promo']);
  expect(status).toMatchObject({ id: known.first, state: 'running', workers: 0, messages: { queued: 6 } });
});

test('launch --wait sends it, waits for the reports and tells what really happened', async () => {
  const { code, stdout, stderr } = await place().tuma(['launch', 'job.yaml', '--yes', '--wait']);
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/error|warn/i);
  expect(stdout).toMatch(/^promo {2}finished\n/);
  expect(stdout).toMatch(/\n {2}Charged +KES 4\.80/);
  const report = await place().json(['report', 'promo']);
  const stats = place().sandbox.stats();
  expect(report.rows).toEqual(COUNTS);
  expect(report.messages).toMatchObject({ sent: 6, queued: 0, rejected: 0, uncertain: 0 });
  expect(report.delivery['pending']).toBe(0);
  expect([report.messages['sent'], report.cost['charged']]).toEqual([stats.accepted, stats.charged]);
  expect(await place().json(['balance'])).toMatchObject({ credit: stats.credit, currency: 'KES' });
});

test('a settled launch that is given again reads the reports that a killed one had stored', async () => {
  const database = new DatabaseSync(join(place().home, 'ledger.db'));
  const [stored] = database.prepare("SELECT body FROM webhook WHERE kind = 'report' LIMIT 1").all();
  const body = Buffer.from(stored?.['body'] as Uint8Array).toString();
  const changed = Buffer.from(body.replace('DeliveredToTerminal', 'AbsentSubscriber'));
  database
    .prepare(
      `INSERT INTO webhook (received_at, last_at, digest, method, content_type, query, body, ip)
       SELECT received_at, last_at, randomblob(16), method, content_type, query, ?, ip FROM webhook LIMIT 1`,
    )
    .run(changed);
  database.close();
  const report = await place().json(['launch', 'job.yaml', '--wait']);
  expect(report.campaign).toMatchObject({ id: known.first, state: 'finished' });
  expect(report.delivery).toMatchObject({ delivered: 6, conflict: 1 });
});

test('launched again it shows the settled report; --again sends anew', async () => {
  const settled = await place().tuma(['launch', 'job.yaml']);
  expect([settled.code, settled.stderr]).toEqual([
    0,
    `These files were sent as ${known.first}, which is settled; --again sends them anew.\n`,
  ]);
  expect(await place().json(['launch', 'job.yaml'])).toMatchObject({ campaign: { id: known.first } });
  const anew = await place().json(['launch', 'job.yaml', '--yes', '--again']);
  known.second = anew.campaign.id;
  expect(known.second).not.toBe(known.first);
  expect(place().sandbox.stats().accepted).toBe(6);
});

test('a campaign is meant by id, a unique prefix, or the name of its latest; else nobody guesses', async () => {
  expect((await place().json(['report', 'promo'])).campaign.id).toBe(known.second);
  expect((await place().json(['report', known.first.slice(0, 7)])).campaign.id).toBe(known.first);
  const [none, typo, empty] = await Promise.all(
    ['zzz', 'prmoo', ''].map((name) => place().tuma(['report', name, '--json'])),
  );
  expect([none?.code, none && errorOf(none).code]).toEqual([2, 'not_found']);
  expect(typo && errorOf(typo).hint).toBe('Did you mean promo?');
  expect([empty?.code, empty && errorOf(empty).code]).toEqual([2, 'usage']);
});

test('a canceled campaign stays so, and its state forbids the other verbs', async () => {
  expect(await place().json(['cancel', known.second, '--yes'])).toMatchObject({ changed: true, canceled: 6 });
  expect(await place().json(['cancel', known.second, '--yes'])).toMatchObject({
    changed: false,
    canceled: 0,
  });
  const forbidden = [
    ['pause', known.second],
    ['retry', known.second],
    ['resolve', known.second, '--not-sent'],
    ['resume', known.first],
    ['cancel', known.first, '--yes'],
  ];
  for (const ended of await Promise.all(forbidden.map((args) => place().tuma([...args, '--json']))))
    expect([ended.code, ended.stdout, errorOf(ended).code]).toEqual([2, '', 'state_forbids']);
  expect(
    place()
      .campaigns()
      .map(({ state }) => state),
  ).toEqual(['running', 'canceled']);
});

test('report and export write whole files of one’s own, and refuse what they cannot write', async () => {
  const [csv, ndjson, page, refused] = await Promise.all([
    place().json(['export', known.first, '--out', 'out.csv']),
    place().json(['export', known.first, '--out', 'out.ndjson', '--format', 'ndjson']),
    place().tuma(['report', known.first, '--format', 'csv', '--out', 'report.csv']),
    place().tuma(['export', known.first, '--out', 'no/such/x.csv', '--json']),
  ]);
  expect([csv['rows'], ndjson['rows'], page.code]).toEqual([6, 6, 0]);
  expect([refused.code, errorOf(refused).code]).toEqual([1, 'file_unwritable']);
  const lines = readFileSync(place().path('out.csv'), 'utf8').trimEnd().split('\n');
  expect(lines[0]).toBe(
    'campaign,line,mobile,key,occurrence,state,delivery,reason,provider_words,messageid,network,segments,cost,currency,attempts,queued_at,sent_at,reported_at,batch,due_at,offset',
  );
  expect(lines[1]).toMatch(
    new RegExp(`^${known.first},2,"=""${mobile(0)}""",,,sent,(delivered|undelivered),`),
  );
  const first = JSON.parse(readFileSync(place().path('out.ndjson'), 'utf8').split('\n')[0] ?? '') as object;
  expect(first).toMatchObject({ mobile: mobile(0), state: 'sent', cost: '0.80' });
  expect(readFileSync(place().path('report.csv'), 'utf8')).toContain('charged');
  expect(statSync(place().path('out.csv')).mode & 0o777).toBe(0o600);
});

test('verify finds nothing, and a backup is whole, once', async () => {
  expect(await place().json(['verify'])).toEqual({ violations: [], campaigns: 2 });
  expect(await place().json(['backup', 'copy.db'])).toMatchObject({ file: place().path('copy.db') });
  const twice = await place().tuma(['backup', 'copy.db', '--json']);
  expect([twice.code, errorOf(twice).code]).toEqual([1, 'file_unwritable']);
  const env = { TUMA_DATABASE_URL: `sqlite:${place().path('copy.db')}` };
  expect(await place().json(['verify'], { env })).toEqual({ violations: [], campaigns: 2 });
});

test('serve sends what is launched, takes reports, and stops with exit code 0', async () => {
  const serving = place().start(['serve']);
  await serving.printed(/webhooks +http/);
  const ended = await place().tuma(['launch', 'job.yaml', '--yes', '--again', '--wait', '--json']);
  expect([ended.code, ended.stderr]).toEqual([0, '']);
  const report = JSON.parse(ended.stdout) as { messages: object; delivery: Record<string, number> };
  expect(report).toMatchObject({ messages: { sent: 6 }, delivery: { pending: 0 } });
  expect(await place().json(['status'])).toMatchObject({ workers: 1 });
  expect(await place().json(['trigger', 'report', 'm-1'])).toMatchObject({ messageid: 'm-1', status: 200 });
  const doctor = (await place().json(['doctor'])) as { ok?: boolean };
  expect(doctor.ok).toBe(true);
  await serving.stop();
  expect((await serving.exited).code).toBe(0);
  expect(await place().json(['verify'])).toMatchObject({ violations: [] });
  const nobody = await place().tuma(['trigger', 'report', '--json']);
  expect([nobody.code, errorOf(nobody)]).toMatchObject([
    1,
    { code: 'collector_failed', hint: 'Start one: tuma serve' },
  ]);
});

test('the sandbox tells the settings that lead to it, and ends with exit code 0', async () => {
  const child = place().start(['sandbox', '--json', '--faults', '2%']);
  await child.printed(/api_key/);
  const told = JSON.parse(child.stdout()) as { url: string; api_key: string; api_secret: string };
  const env = { TUMA_MESSAGING_URL: told.url, TUMA_API_KEY: told.api_key, TUMA_API_SECRET: told.api_secret };
  expect(await place().json(['balance'], { env })).toMatchObject({ credit: '10000.00', account: 'sandbox' });
  await child.stop();
  expect((await child.exited).code).toBe(0);
});

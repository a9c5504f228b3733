import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { tuma } from './command-line.ts';
import { postTo } from './posted.ts';

const ONE = '254700000001';

let story: LedgerStory;
beforeEach(async () => {
  story = await LedgerStory.begin();
});

/** A command in the story's home. */
const run = (...args: string[]) => tuma(args, { env: { TUMA_HOME: story.directory } });
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(...args, '--json');
  if (code !== 0) throw new Error(`exit ${code}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, never>;
};

const post = (payload: object, ip = '127.0.0.1') => postTo(story, payload, { ip });

const reply = (message: string, mobile = ONE, time = '2026-11-27T09:00:00+03:00') =>
  post({ event: 'sms.received', mobile, shortcode: 'DUKA', message, received_at: time });

/** One message to each of so many numbers, all sent. */
async function sentCampaign(messages: number): Promise<number> {
  const n = await story.launch({ messages, rows: rowsFrom(messages) });
  await story.claim();
  const came = Array.from({ length: messages }, (_, index) => [index + 1, { to: 'sent' as const }]);
  await story.record(n, Object.fromEntries(came));
  return n;
}

const rowsFrom = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ mobile: `25470000000${index + 1}` }));

describe('tuma inbox', () => {
  it('shows replies with their campaign, numbers masked and controls taken out [X35]', async () => {
    await sentCampaign(2);
    await reply('Bei gani? \u001b[31mred\u202e');
    await reply('ACHA', '254700000002');
    const { code, stdout } = await run('inbox');
    expect(code).toBe(0);
    expect(stdout).toContain('black-friday');
    expect(stdout).toContain('2547****0001');
    expect(stdout).not.toContain(ONE);
    for (const control of ['\u001b', '\u202e']) expect(stdout).not.toContain(control);
    const { replies } = await json('inbox');
    expect(replies).toMatchObject([
      { mobile: '2547****0002', text: 'ACHA', wish: 'stop', campaign: { id: 'bf-1', line: 3 } },
      { text: 'Bei gani? \ufffd[31mred\ufffd', wish: null, to: 'DUKA' },
    ]);
  });

  it('carries every field of a chat record, in --json and in the file', async () => {
    const chat = {
      message_id: '3EB0C5A277F7F9B6C599',
      sender_jid: '33612345678@c.us',
      chat_jid: '33612345678@g.us',
      media_type: 'image',
      media_url: '/media/photo.jpg',
      file_name: 'photo.jpg',
      file_size: '10240',
      mime_type: 'image/jpeg',
    };
    await post({
      event: 'whatsapp.message.received',
      id: '3f0e6a0e-1111-4222-8333-444455556666',
      from: ONE,
      to: '254700000000@c.us',
      text: 'Picha',
      timestamp: '2026-11-27T06:00:00Z',
      ...chat,
    });
    const { replies } = await json('inbox', '--show-numbers');
    expect(replies).toMatchObject([chat]);
    const file = join(story.directory, 'chat.csv');
    await run('inbox', '--out', file);
    for (const value of Object.values(chat)) expect(readFileSync(file, 'utf8')).toContain(value);
  });

  it('goes by the time in the message, with its arrival beside it under a name of its own', async () => {
    await reply('later', ONE, '2026-11-27T09:00:00+03:00');
    story.now += 7_200_000;
    await reply('earlier', ONE, '2026-11-27T08:00:00+03:00');
    await reply('whenever', ONE, '');
    const times = (await json('inbox')).replies as unknown as Record<string, string>[];
    expect(times.map(({ text, received_at, arrived_at }) => [text, received_at, arrived_at])).toEqual([
      ['whenever', null, '2026-11-27T08:00:00.000Z'],
      ['later', '2026-11-27T06:00:00.000Z', '2026-11-27T06:00:00.000Z'],
      ['earlier', '2026-11-27T05:00:00.000Z', '2026-11-27T08:00:00.000Z'],
    ]);
    const { stdout } = await run('inbox');
    expect(stdout).toMatch(/^received\tarrived\tfrom\t/);
    expect(stdout).toMatch(/^\t.* 11:00\S*\t.*whenever$/m);
    expect(stdout).toMatch(/08:00\S*\t.* 11:00\S*\t.*earlier$/m);
    const file = join(story.directory, 'times.csv');
    await run('inbox', '--out', file);
    expect(readFileSync(file, 'utf8')).toMatch(
      /^\d+,2026-11-27T05:00:00.000Z,2026-11-27T08:00:00.000Z,sms,.*earlier/m,
    );
  });

  it('writes a file that only its owner reads, with full numbers and no formula [X13 X32]', async () => {
    await sentCampaign(1);
    await reply('=HYPERLINK("http://x")');
    const file = join(story.directory, 'inbox.csv');
    expect(await json('inbox', '--out', file)).toEqual({ file, rows: 1 });
    const [header, line] = readFileSync(file, 'utf8').split('\n');
    expect(header).toBe(
      'id,received_at,arrived_at,channel,mobile,to,text,wish,campaign,line,media,message_id,sender_jid,chat_jid,media_type,media_url,file_name,file_size,mime_type',
    );
    expect(line).toContain(ONE);
    expect(line).toContain(`"'=HYPERLINK(""http://x"")"`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe('wishes of people', () => {
  it.each([
    ['STOP.STOP.STOP', 'stop'],
    ['STOP DUKA', 'stop'],
    ['Stop. Thank you', 'stop'],
    ['unsubscribe please', 'stop'],
    ['Kindly stop', 'stop'],
    ['please stop sending me messages', 'stop'],
    ['acha kunitumia sms tafadhali', 'stop'],
    ['Sitaki tena', 'stop'],
    ['STOP\n\nSent from my phone', 'stop'],
    ['stop messages please', 'stop'],
    ['stopp', 'maybe_stop'],
    ['ST0P', 'maybe_stop'],
    ['nimechoka na sms zenu, acha', 'maybe_stop'],
    ['stop spamming', 'maybe_stop'],
    ['please stop by', null],
    ['STOP the bill', null],
    ['Where do I stop?', null],
    ['Wrong number', null],
    ['START', 'start'],
  ])('%j of somebody who got a message of DUKA asks for: %s', async (message, wish) => {
    await reply(message);
    expect((await json('inbox')).replies).toMatchObject([{ text: message, wish }]);
    expect((await json('inbox', '--maybe-stop')).replies).toHaveLength(wish === 'maybe_stop' ? 1 : 0);
    expect((await json('optouts', 'list')).opt_outs).toHaveLength(wish === 'stop' ? 1 : 0);
    expect(await json('status')).toMatchObject({ maybe_stop: wish === 'maybe_stop' ? 1 : 0 });
  });

  it('that are in doubt stand in status, and in the inbox with what to do, until somebody decides', async () => {
    await sentCampaign(2);
    await reply('stopp');
    await reply('Bei gani?', '254700000002');
    expect((await run('status')).stderr).toContain('1 reply may ask to stop: tuma inbox --maybe-stop');
    const { stdout, stderr } = await run('inbox', '--maybe-stop');
    expect(stdout).toContain('maybe stop');
    expect(stdout).not.toContain('Bei gani');
    expect(stderr).toContain('tuma optouts add NUMBER');
    await json('optouts', 'remove', ONE);
    expect((await run('inbox', '--maybe-stop')).stdout).toContain('No reply waits for a decision.');
    expect((await run('status')).stderr).not.toContain('may ask to stop');
  });
});

describe('tuma optouts', () => {
  it('adds, lists, tells the history of and removes a number', async () => {
    await sentCampaign(1);
    await reply('STOP');
    expect(await json('optouts', 'add', '0700000002')).toEqual({
      mobile: '2547****0002',
      added: 1,
    });
    expect((await json('optouts', 'list')).opt_outs).toMatchObject([
      { mobile: '2547****0001', kind: 'opted out', sender: null, source: 'reply' },
      { mobile: '2547****0002', source: 'operator', evidence: null },
    ]);
    expect((await run('optouts', 'list')).stdout).not.toContain(ONE);
    expect(await json('optouts', 'remove', ONE)).toMatchObject({ removed: 1 });
    expect(await json('optouts', 'remove', ONE)).toMatchObject({ removed: 0 });
    const { opt_outs: now, history } = await json('optouts', 'list', `+${ONE}`);
    expect(now).toEqual([]);
    expect(history).toMatchObject([
      { change: 'added', source: 'reply', evidence: 'replied "STOP" to DUKA' },
      { change: 'removed', source: 'operator' },
    ]);
  });

  it('imports a list, says which lines are no number, and takes the same list again without harm', async () => {
    const file = join(story.directory, 'out.csv');
    writeFileSync(file, 'Phone,Name\n0700000001,Ann\nnobody,Bob\n0700000002,Cy\n0700000001,Ann\n');
    const { rejects = '', ...counts } = await json('optouts', 'import', file);
    onTestFinished(() => rmSync(rejects));
    expect(counts).toEqual({ read: 4, added: 2, known: 1, dead: 0, invalid: 1 });
    expect(readFileSync(rejects, 'utf8')).toContain('nobody,Bob,3,not a number');
    const again = await json('optouts', 'import', file);
    expect(again).toMatchObject({ added: 0, known: 3, rejects });
    const out = join(story.directory, 'all.csv');
    expect(await json('optouts', 'export', '--out', out)).toEqual({ file: out, rows: 2 });
    expect(readFileSync(out, 'utf8').split('\n').slice(0, 2)).toEqual([
      'mobile,kind,sender,source,since,evidence',
      expect.stringMatching(/^"=""254700000001""",opted out,,import,\d{4}-.*,line of out\.csv$/),
    ]);
    // An exported file can be imported elsewhere: each of its numbers opts out of every sender.
    writeFileSync(
      out,
      `${readFileSync(out, 'utf8')}254700000003,opted out,OTHER,report,,x\n254700000004,dead number,,learned,,x\n`,
    );
    expect(await json('optouts', 'import', out)).toMatchObject({ read: 4, added: 1, known: 2, dead: 1 });
    expect((await json('optouts', 'list')).opt_outs).toMatchObject([
      { mobile: '2547****0001', sender: null },
      { mobile: '2547****0002', sender: null },
      { mobile: '2547****0003', sender: 'OTHER' },
    ]);
  });

  it('refuses what is no number, no file, no action, and a sender', async () => {
    for (const action of ['add', 'remove', 'import'])
      expect((await run('optouts', action, ONE, '--sender', 'DUKA')).stderr).toContain(
        "Unknown option '--sender'",
      );
    expect((await run('optouts', 'add', '12')).code).toBe(2);
    expect((await run('optouts', 'add')).code).toBe(2);
    expect((await run('optouts', 'import', join(story.directory, 'none.csv'))).code).toBe(2);
    expect((await run('optouts', 'export')).code).toBe(2);
    expect((await run('optouts', 'forget')).code).toBe(2);
  });
});

describe('tuma webhooks', () => {
  it('lists reports whose id fits a message and whose mobile does not, with their webhooks', async () => {
    const n = await sentCampaign(1);
    expect((await run('webhooks', 'list')).stdout).not.toContain('whose mobile does not');
    const report = { messageid: `m${n}-1`, status: 'DeliveredToTerminal' };
    for (const mobile of ['0799999999', '+254 788 888 888', '0700000001', '2547****9999'])
      await post({ ...report, mobile });
    expect((await json('webhooks', 'list')).other_mobiles).toEqual({
      count: 2,
      last_at: '2026-11-27T06:00:00.000Z',
      webhooks: [2, 1],
    });
    const { stdout } = await run('webhooks', 'list');
    expect(stdout).toMatch(/^reports whose id fits a message and whose mobile does not\tlast\twebhooks$/m);
    expect(stdout).toMatch(/^2\t.*\t2 1$/m);
    expect((await run('webhooks', 'inspect', '2')).stdout).toContain(`m${n}-1`);
    expect((await run('verify')).code).toBe(0);
  });

  it('groups words that nobody knows, takes their meaning once, and a replay changes nothing', async () => {
    const n = await sentCampaign(3);
    for (const seq of [1, 2, 3])
      await post({ messageid: `m${n}-${seq}`, description: seq === 3 ? 'Barred By Net' : 'BarredByNet' });
    await post({ hello: 'world', apikey: 'k-123456' });
    const listed = await json('webhooks', 'list');
    expect(listed.words).toMatchObject([
      { word: 'BarredByNet', count: 2, mapped: null },
      { word: 'Barred By Net', count: 1, mapped: null },
    ]);
    expect(listed.shapes).toMatchObject([{ kind: 'not_understood', shape: 'apikey hello', count: 1 }]);
    expect(await json('webhooks', 'map', 'barred by net', 'undelivered')).toMatchObject({ reports: 3 });
    const report = await json('report', 'bf-1');
    expect(report.delivery).toMatchObject({ undelivered: 3 });
    expect(report.reasons).toMatchObject([{ reason: 'BarredByNet' }, { reason: 'Barred By Net' }]);
    expect(await json('webhooks', 'replay')).toEqual({ webhooks: 4 });
    expect(await json('report', 'bf-1')).toEqual(report);
    expect((await json('verify')).violations).toEqual([]);
  });

  it('lists the formats that are not read, each once, and keeps them whole', async () => {
    const [n, stop] = [await sentCampaign(1), `<sms><mobile>${ONE}</mobile><message>STOP</message></sms>`];
    for (const body of [stop, `${stop} `])
      await postTo(story, body, { contentType: 'text/xml; charset=utf-8' });
    for (const boundary of ['--a', '--b'])
      await postTo(story, `${boundary}\r\nContent-Disposition: form-data; name="messageid"\r\n\r\nm${n}-1`, {
        contentType: `multipart/form-data; boundary=${boundary}`,
      });
    await postTo(story, `messageid=m${n}-1&status=Failed&messageid=m${n}-2&status=Failed`);
    const { shapes } = await json('webhooks', 'list');
    expect(shapes).toMatchObject([
      { kind: 'not_understood', shape: 'multipart/form-data', count: 2 },
      { kind: 'not_understood', shape: 'text/xml', count: 2 },
      { kind: 'not_understood', shape: 'messageid status', count: 1 },
    ]);
    expect((await run('webhooks', 'inspect', '1', '--show-numbers')).stdout).toContain(stop);
    expect((await json('optouts', 'list')).opt_outs).toEqual([]);
  });

  it('shows a raw one by its paths, without secrets and numbers', async () => {
    await post({ to: ONE, apikey: 'k-123456', results: [{ odd: 9_007_199_254_740_993n.toString() }] });
    const { stdout } = await run('webhooks', 'inspect', '1');
    expect(stdout).toContain('$.results[0].odd');
    expect(stdout).toContain('2547****0001');
    expect(stdout).not.toMatch(/k-123456|254700000001/);
    expect((await run('webhooks', 'inspect', '99')).code).toBe(2);
    expect((await run('webhooks', 'inspect')).code).toBe(2);
  });

  it('does not map a word of the profile, nor to what is no delivery', async () => {
    expect((await run('webhooks', 'map', 'DELIVRD', 'undelivered')).stderr).toContain('profile knows');
    expect((await run('webhooks', 'map', 'Huh', 'fine')).code).toBe(2);
    expect((await run('webhooks', 'map', 'Huh')).code).toBe(2);
  });

  it('takes back what an address posted, and asks first', async () => {
    const n = await sentCampaign(1);
    await post({ messageid: `m${n}-1`, description: 'DeliveredToTerminal' }, '203.0.113.9');
    await reply('hello');
    const refused = await run('webhooks', 'void', '--from', '203.0.113.9');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    expect((await run('webhooks', 'void', '--from', 'somebody', '--yes')).stderr).toContain('is no address');
    const voided = await json('webhooks', 'void', '--from', '203.0.113.9', '--yes');
    expect(voided).toMatchObject({ webhooks: 1, reports: 1, replies: 0, uncertain: 0 });
    expect((await json('report', 'bf-1')).delivery).toMatchObject({ delivered: 0, pending: 1 });
    expect((await json('webhooks', 'inspect', '1')).voided_at).not.toBeNull();
    await json('webhooks', 'replay');
    expect((await json('report', 'bf-1')).delivery).toMatchObject({ delivered: 0 });
  });

  it('a STOP that another address posted, too, outlives what is taken back', async () => {
    const said = { event: 'sms.received', mobile: ONE, shortcode: 'DUKA', message: 'STOP' };
    const stop = { ...said, received_at: '2026-11-27T09:00:00+03:00' };
    await post({ ...stop, first: true }, '203.0.113.9');
    await post(stop);
    await post({ ...stop, mobile: '254700000002' }, '203.0.113.9');
    expect(await json('webhooks', 'void', '--from', '203.0.113.9', '--yes')).toMatchObject({ replies: 2 });
    const suppressed = await story.ledger.suppressed({ mobiles: [ONE, '254700000002'], sender: 'DUKA' });
    expect([...suppressed.keys()]).toEqual([ONE]);
  });

  it('a replay by another profile works the past out anew', async () => {
    const n = await sentCampaign(1);
    await post({ ref: `m${n}-1`, outcome: 'DELIVRD' });
    expect((await json('webhooks', 'list')).shapes).toMatchObject([{ shape: 'outcome ref' }]);
    const profile = join(story.directory, 'profile.json');
    const fields = { message_id: ['ref'], status: ['outcome'] };
    writeFileSync(profile, JSON.stringify({ reports: { fields } }));
    await json('webhooks', 'replay', '--profile', profile);
    expect((await json('report', 'bf-1')).delivery).toMatchObject({ delivered: 1 });
  });
});

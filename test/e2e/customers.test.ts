import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Truth, readTruth } from '../../src/sandbox/truth/truth.ts';
import type { TestProcess } from '../support/processes.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { contacts, jobFile, mobile, openPlace } from './harness.ts';

/* Everybody answers: by SMS and chat, with files and with STOP. What the program knows is held against the sandbox's truth. */

const TOKEN = 'CANARYtoken7';
const PEOPLE = 40;
const truthFile = join(makeTempDir(), 'truth.ndjson');
const place = openPlace({
  sandbox: {
    apiToken: TOKEN,
    truthFile,
  },
});
const JOB = { kind: 'promotional', name: 'answers' };

let env: Record<string, string>;
let serving: TestProcess;
let truth: Truth;

beforeAll(async () => {
  env = {
    TUMA_BASE_URL: place().sandbox.url,
    TUMA_API_TOKEN: TOKEN,
    TUMA_V2_AUTH: 'query',
  };
  place().write('job.yaml', jobFile(JOB));
  place().write('contacts.csv', contacts(PEOPLE));
  serving = place().start(['serve'], { env });
  await serving.printed(/webhooks +http/);
  await place().json(['launch', 'job.yaml', '--yes', '--wait'], { env });
  await Promise.all(Array.from({ length: PEOPLE }, (_, index) => say(index)));
  truth = await waitFor(everyAnswer, { what: 'all reports and answers' });
  await waitFor(async () => (await inbox()).length === truth.inbound.length, { what: 'the inbox' });
});

/** One after the other answers by one of the three events; every fourth says STOP, and some chats have a file. */
async function say(index: number): Promise<void> {
  const event = ['sms.received', 'sms.inbound', 'whatsapp.message.received'][index % 3];
  const answer =
    index % 4 === 0 ? { text: ['STOP', 'Acha', ' stop. '][index % 3] } : { text: `Asante ${index}` };
  const media =
    index % 3 === 2 && index % 4 === 1 ? { media: index % 8 === 5 ? 'photo.jpg' : 'invoice.pdf' } : {};
  const body = JSON.stringify({ event, mobile: mobile(index), ...answer, ...media });
  const { status } = await fetch(`${place().sandbox.url}/sandbox/inbound`, { method: 'POST', body });
  expect(status).toBe(200);
}

/** What the sandbox knows, once every answer was taken and noted. */
async function everyAnswer(): Promise<Truth | null> {
  const { reports, inbound } = place().sandbox.stats();
  const known = await readTruth(truthFile);
  return reports.pending + inbound.pending === 0 && known.inbound.length === inbound.taken ? known : null;
}

interface Received {
  mobile: string;
  text: string;
  wish: string | null;
  media: string | null;
  record: string;
  campaign: { name: string };
}

async function inbox(): Promise<Received[]> {
  const { replies } = await place().json(['inbox', '--show-numbers'], { env });
  return replies as Received[];
}

afterAll(() => serving.stop());

const chatWithFile = () => truth.inbound.filter(({ media }) => media !== null);
const stopped = () => truth.inbound.filter(({ means }) => means === 'stop').map((entry) => entry.mobile);

test('every answer is in the inbox once, with its text, its wish and the campaign that it answers', async () => {
  expect(truth.inbound).toHaveLength(PEOPLE);
  const replies = await inbox();
  const facts = replies.map(({ mobile, text, wish }) => [mobile, hash('sha256', text), wish].join(' '));
  const expected = truth.inbound.map(({ mobile, sha256, means }) => [mobile, sha256, means].join(' '));
  expect(facts.toSorted()).toEqual(expected.toSorted());
  expect(new Set(replies.map(({ campaign }) => campaign.name))).toEqual(new Set(['answers']));
});

test('each file is downloaded under its id, as the inbox names it, and nothing else is', async () => {
  const replies = await inbox();
  const records = replies.filter(({ media }) => media !== null).map(({ record }) => record);
  const files = place().path('files');
  mkdirSync(files);
  for (const record of records) await place().json(['media', record, '--out', files], { env });
  expect(records).toHaveLength(3);
  const expected = chatWithFile().map(
    ({ id, media }) => id + (media ?? '').slice((media ?? '').indexOf('.')),
  );
  expect(readdirSync(files).toSorted()).toEqual(expected.toSorted());
});

test('who said STOP is left out of the next promotional campaign, and nobody else for it', async () => {
  expect(stopped()).toHaveLength(PEOPLE / 4);
  const listed = await place().json(['optouts', 'list', '--show-numbers'], { env });
  const rows = listed['opt_outs'] as { mobile: string; source: string }[];
  const byReply = rows.filter(({ source }) => source === 'reply').map((row) => row.mobile);
  expect(byReply.toSorted()).toEqual(stopped().toSorted());
  const out = new Set(rows.map((row) => row.mobile));
  place().write('job.yaml', jobFile({ ...JOB, name: 'again', guard: '{ same_text: off }' }));
  const report = await place().json(['launch', 'job.yaml', '--yes', '--wait'], { env });
  expect(report.rows).toMatchObject({ read: PEOPLE, suppressed: out.size });
  const again = await readTruth(truthFile);
  for (let index = 0; index < PEOPLE; index += 1)
    expect([mobile(index), again.acceptedByMobile.get(mobile(index))]).toEqual([
      mobile(index),
      out.has(mobile(index)) ? 1 : 2,
    ]);
});

test('credits are those of the account, and the token of the address is nowhere', async () => {
  const { credits } = (await place().json(['credits'], { env })) as unknown as { credits: string };
  expect(Number(credits)).toBe(Number(place().sandbox.stats().credit));
  const wrong = await place().tuma(['credits'], { env: { ...env, TUMA_API_TOKEN: 'CANARYother' } });
  expect(wrong.code).toBe(4);
  const doctor = await place().tuma(['doctor'], { env });
  expect(doctor.stdout).toContain('credits can be asked for (query)');
  const commandLine = existsSync('/proc') ? readFileSync(`/proc/${serving.pid}/cmdline`, 'utf8') : '';
  const printed = [
    serving.stdout(),
    serving.stderr(),
    wrong.stdout,
    wrong.stderr,
    doctor.stdout,
    commandLine,
  ];
  expect(printed.join('\n')).not.toContain('CANARY');
  expect(await place().json(['verify'], { env })).toMatchObject({ violations: [] });
});

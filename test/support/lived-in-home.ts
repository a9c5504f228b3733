import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { tuma } from '../cli/command-line.ts';
import { postTo } from '../cli/posted.ts';
import { openLaunchingHome } from '../cli/launching-home.ts';
import { atFileEnd } from './file-end.ts';
import { type Came, LedgerStory } from './ledger-story.ts';

/* A home in which much has happened, so that every page has something of each kind to show. */

/** What somebody outside of Tuma writes: a contact, a customer, the provider, an operator. */
export type Kind = 'name' | 'campaign' | 'reply' | 'word' | 'reason' | 'file' | 'network' | 'id' | 'note';

/** The next text of a kind. */
export type Wording = (kind: Kind) => string;

/** The home, and what a test looks for in it. */
export interface LivedInHome {
  story: LedgerStory;
  /** Settings of commands and servers in this home. */
  env: Record<string, string>;
}

const SENSIBLE: Record<Kind, readonly string[]> = {
  name: ['Amina Otieno', 'Brian Mwangi', 'Chebet Kiprono', 'Daisy Njeri', 'Esther Achieng', 'Fatuma Hassan'],
  campaign: ['agm-notice', 'harvest-offer', 'newsletter-november', 'seed-prices', 'school-fees'],
  reply: ['Asante sana', 'Bei gani?', 'Nitakuja kesho asubuhi', 'Who is this?'],
  word: ['Barred by operator', 'Handset gone'],
  reason: ['absent', 'contact refused', 'throttled'],
  file: ['receipt.pdf', 'photo.jpg'],
  network: ['1', '2'],
  id: ['7f0c1d2e-1', '7f0c1d2e-2'],
  note: ['asked by phone', 'asked at the counter'],
};

/** Texts as they are in an ordinary office. */
export function sensibleWording(): Wording {
  const told = new Map<Kind, number>();
  return (kind) => {
    const texts = SENSIBLE[kind];
    const index = told.get(kind) ?? 0;
    told.set(kind, index + 1);
    const again = Math.floor(index / texts.length);
    return `${texts[index % texts.length]}${again === 0 || kind === 'network' ? '' : ` ${again + 1}`}`;
  };
}

const PEOPLE = 12;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Numbers of the stories: the first person of a campaign has the first one. */
export const numberOf = (index: number) => `2547${String(index + 1).padStart(8, '0')}`;

export interface Living {
  /** What people write; sensible texts by default. */
  wording?: Wording;
  /** What happens beside it, before commands are given: they take the story's worker for dead. */
  also?: (story: LedgerStory) => Promise<void>;
}

/** Lets everything happen once. The time of the story is then that of the home. */
export async function liveIn({ wording = sensibleWording(), also }: Living = {}): Promise<LivedInHome> {
  const story = await LedgerStory.begin();
  const launching = await openLaunchingHome();
  atFileEnd(() => launching.close());
  await story.readBalance(18_604_200_000);
  await finishOne(story, wording);
  story.now += HOUR;
  await runOne(story, wording);
  await pauseOne(story, wording);
  await cancelOne(story, wording);
  await hearPeople(story, wording);
  await hearTheProvider(story, wording);
  await optOut(story, wording);
  await also?.(story);
  story.now += MINUTE;
  await story.readBalance(18_590_000_000);
  const home = {
    story,
    env: {
      ...launching.env,
      TUMA_SENDER: 'DUKA',
      TUMA_HOME: story.directory,
      XDG_STATE_HOME: story.directory,
    },
  };
  await planAhead(home, wording);
  return home;
}

function people(wording: Wording, count = PEOPLE) {
  return Array.from({ length: count }, (_, index) => ({ fields: [numberOf(index), wording('name')] }));
}

interface Told {
  id: string;
  wording: Wording;
  count?: number;
}

async function launch(story: LedgerStory, { id, wording, count = PEOPLE }: Told): Promise<number> {
  return story.launch({
    id,
    name: wording('campaign'),
    contacts: id,
    rows: people(wording, count),
    estimatedMicro: count * 1_000_000,
    budgetMicro: count * 2_000_000,
  });
}

/** Settled, with each fate on two networks. */
async function finishOne(story: LedgerStory, wording: Wording): Promise<void> {
  const n = await launch(story, { id: 'fin1shed', wording });
  await story.claim();
  story.now += MINUTE;
  const ids = Array.from({ length: PEOPLE - 2 }, (_, index) => `${wording('id')}-${index}`);
  const sent = ids.map((messageId): Came => ({ to: 'sent', messageId, network: wording('network') }));
  await story.record(n, {
    ...Object.fromEntries(sent.map((came, index) => [index + 1, came])),
    [PEOPLE - 1]: { to: 'rejected', reason: wording('reason'), retryHelps: false },
    [PEOPLE]: { to: 'rejected', reason: wording('reason'), retryHelps: true },
  });
  story.now += MINUTE;
  for (const [index, messageid] of ids.entries()) {
    const description = ['DeliveredToTerminal', 'DeliveredToTerminal', 'AbsentSubscriber', wording('word')][
      index % 4
    ];
    await postTo(story, { messageid, mobile: numberOf(index), description });
  }
}

/** Some sent, some that wait, some rejected, some that nobody knows of. */
async function runOne(story: LedgerStory, wording: Wording): Promise<void> {
  const n = await launch(story, { id: 'runn1ng1', wording });
  await story.claim();
  story.now += MINUTE;
  const question = { content: 'funds', words: wording('word') };
  await story.record(n, {
    1: { to: 'sent', network: wording('network') },
    2: { to: 'sent', network: wording('network') },
    3: { to: 'sent', network: null, costMicro: null, flags: ['cost_missing'] },
    4: { to: 'rejected', reason: wording('reason'), retryHelps: true },
    5: {
      to: 'uncertain',
      reason: wording('reason'),
      evidence: { httpStatus: 500, code: null, raw: wording('note') },
    },
    6: {
      to: 'uncertain',
      reason: 'unknown answer',
      evidence: { httpStatus: 402, code: null, raw: wording('note'), question },
    },
    7: { to: 'queued', reason: wording('reason') },
    8: { to: 'queued', reason: 'throttled' },
    9: { to: 'queued', reason: 'throttled' },
  });
}

async function pauseOne(story: LedgerStory, wording: Wording): Promise<void> {
  const n = await launch(story, { id: 'paus3d01', wording });
  await story.ledger.pause(n, {
    now: story.now,
    by: wording('note'),
    reason: 'errors',
    words: wording('word'),
  });
}

async function cancelOne(story: LedgerStory, wording: Wording): Promise<void> {
  const n = await launch(story, { id: 'cancel3d', wording });
  await story.ledger.cancel(n, { now: story.now, by: wording('note') });
}

/** Answers, a STOP, one that may be a STOP, and a chat with a file. */
async function hearPeople(story: LedgerStory, wording: Wording): Promise<void> {
  const say = (index: number, message: string) =>
    postTo(story, {
      event: 'sms.received',
      mobile: numberOf(index),
      shortcode: wording('note'),
      message,
      received_at: new Date(story.now).toISOString(),
    });
  for (let index = 0; index < 4; index += 1) await say(index, wording('reply'));
  await say(4, 'STOP');
  await say(5, `${wording('reply')} please stop texting me`);
  await postTo(story, {
    event: 'whatsapp.message.received',
    id: 'b1946ac9-2492-4d2e-8b1f-0c9a7e3d5f10',
    from: numberOf(6),
    to: '254700999000',
    type: 'document',
    body: wording('reply'),
    contact_name: wording('name'),
    media_url: '/api/v2/messages/whatsapp/b1946ac9-2492-4d2e-8b1f-0c9a7e3d5f10/media',
    file_name: wording('file'),
    received_at: new Date(story.now).toISOString(),
  });
}

/** What nobody understands: a word, an id, a shape. */
async function hearTheProvider(story: LedgerStory, wording: Wording): Promise<void> {
  const body = {
    messageid: wording('id'),
    mobile: numberOf(0),
    description: wording('word'),
    networkid: wording('network'),
  };
  await postTo(story, body);
  await postTo(story, { [wording('word')]: wording('note') });
}

async function optOut(story: LedgerStory, wording: Wording): Promise<void> {
  const entry = {
    source: 'operator' as const,
    sender: 'DUKA',
    evidence: wording('note'),
    by: wording('note'),
  };
  const mobiles = [numberOf(7), numberOf(20), numberOf(21)];
  await story.ledger.addOptOuts(
    mobiles.map((mobile) => ({ ...entry, mobile })),
    story.now,
  );
}

/** A campaign for tomorrow, reminders, and a job that comes again, as a person launches them. */
async function planAhead({ story, env }: LivedInHome, wording: Wording): Promise<void> {
  const write = (name: string, text: string) => {
    writeFileSync(join(story.directory, name), text);
    return join(story.directory, name);
  };
  const rows = ['Amina', 'Brian', wording('name')].map(
    (name, index) => `071234567${index},"${name.replaceAll('"', '""')}",2026-12-2${index}\n`,
  );
  write('people.csv', `phone,name,day\n${rows.join('')}`);
  const job = (name: string, more: string) =>
    write(
      `${name}.yaml`,
      `name: ${name}\nkind: transactional\nsender: DUKA\ncontacts: people.csv\nmessage: "Hi <<name>>, see you soon."\nwindow: always\n${more}`,
    );
  const launches = [
    [job('branch-opening', ''), '--at', '2026-11-28T09:00'],
    [job('visit-reminders', 'remind: { column: day, offsets: [-1d], at: "09:00" }\n')],
    [job('weekly-prices', 'every: { cron: "0 9 * * mon" }\n')],
  ];
  for (const args of launches) {
    const { code, stderr } = await tuma(['launch', ...args, '--yes'], { env, now: story.now });
    if (code !== 0) throw new Error(`${args[0]} was not launched: ${stderr}`);
  }
}

import { expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { JumpClock, openEngine } from './engine.ts';
import { launchReminders } from './reminder-world.ts';
import { ScriptedProvider } from './scripted-provider.ts';

/* Appointments of a clinic: two phone columns, two children on one phone, hours before the visit. */

const at = (iso: string) => Date.parse(iso);
const phone = (who: number) => `07000000${String(who).padStart(2, '0')}`;

async function setUp() {
  const clock = new JumpClock(at('2026-11-30T03:00Z'));
  const engine = await openEngine(clock);
  const provider = new ScriptedProvider();
  const sent: string[] = [];
  const send = provider.send.bind(provider);
  provider.send = (request) => {
    sent.push(
      `${new Date(clock.now()).toISOString().slice(5, 16)} ${request.mobile.slice(-2)} ${request.message}`,
    );
    return send(request);
  };
  const comes = async (iso: string, count: number) => {
    clock.jumpTo(at(iso));
    await waitFor(() => sent.length >= count, { what: `${count} sent` });
  };
  return { clock, engine, provider, sent, comes };
}

const JOB = (key: string, remind = '{ column: Tarehe, offset: -1d, at: "09:00", format: dd/mm/yyyy }') =>
  `name: clinic
kind: transactional
message: <<Mtoto>>
columns: { mobile: [Simu, Simu 2] }
${key}remind: ${remind}
`;
const CHILD = 'key: [Mtoto, Tarehe]\n';
const csvOf = (rows: string[]) => `Simu,Simu 2,Mtoto,Tarehe\n${rows.map((row) => `${row}\n`).join('')}`;
const LAST = `${phone(9)},,Zed,20/12/2026 09:00`;

it.each([
  ['without a key', ''],
  ['with a key', 'key: Mtoto\n'],
  ['with a key of two columns', CHILD],
])(
  '%s, a reminder goes to the first usable phone, once, however the phones are corrected',
  async (_, key) => {
    const { engine, provider, sent, comes } = await setUp();
    const before = [
      // Swapped, emptied, mended, the same; and one that waits and is swapped.
      `${phone(1)},${phone(11)},Ali,02/12/2026 09:00`,
      `${phone(2)},${phone(12)},Bea,02/12/2026 09:00`,
      `n/a,${phone(13)},Coe,02/12/2026 09:00`,
      `${phone(4)},,Dan,02/12/2026 09:00`,
      `${phone(5)},${phone(15)},Eve,05/12/2026 09:00`,
      LAST,
    ];
    // Later on the same day, so that what was sent could go once more.
    const after = [
      `${phone(11)},${phone(1)},Ali,2 Dec 2026 15:00`,
      `,${phone(12)},Bea,2026-12-02 15:00`,
      `${phone(3)},${phone(13)},Coe,02/12/2026 15:00`,
      `254${phone(4).slice(1)},${phone(14)},Dan,02.12.2026 15:00`,
      `${phone(15)},${phone(5)},Eve,05/12/2026 09:00`,
      LAST,
      `${phone(8)},,Hal,02/12/2026 15:00`,
    ];
    const job = JOB(key, '{ column: Tarehe, offset: -1d, at: { column: Tarehe }, format: dd/mm/yyyy }');
    const campaign = await launchReminders(engine, { job, csv: csvOf(before) });
    await engine.start(provider);
    await comes('2026-12-01T06:00:01Z', 4);
    expect(sent.toSorted()).toEqual([
      '12-01T06:00 01 Ali',
      '12-01T06:00 02 Bea',
      '12-01T06:00 04 Dan',
      '12-01T06:00 13 Coe',
    ]);
    await launchReminders(engine, { job, csv: csvOf(after) });
    await comes('2026-12-01T12:00:01Z', 5);
    await comes('2026-12-04T06:00:01Z', 6);
    await comes('2026-12-19T06:00:01Z', 7);
    await engine.until(campaign, 'finished');
    expect(sent.slice(4)).toEqual(['12-01T12:00 08 Hal', '12-04T06:00 15 Eve', '12-19T06:00 09 Zed']);
    expect(provider.doubles).toBe(0);
    expect(await engine.reader.violations(null)).toEqual([]);
  },
);

it('a campaign of its own finds who was reminded on another phone', async () => {
  const { clock, engine, provider, sent, comes } = await setUp();
  const job = JOB('key: Mtoto\n');
  const rows = [`${phone(1)},${phone(11)},Ali,02/12/2026`, `${phone(2)},${phone(12)},Bea,02/12/2026`];
  const before = await launchReminders(engine, { job, csv: csvOf(rows) });
  await engine.start(provider);
  await comes('2026-12-01T06:00:01Z', 2);
  await engine.until(before, 'finished');
  clock.jumpTo(at('2026-12-05T06:00Z'));
  const moved = [
    `${phone(11)},,Ali,12/12/2026`,
    `${phone(3)},${phone(2)},Bea,12/12/2026`,
    `${phone(4)},,Coe,12/12/2026`,
  ];
  const again = await launchReminders(engine, { job: `${job}batch: 100\n`, csv: csvOf(moved) });
  await comes('2026-12-11T06:00:01Z', 3);
  expect((await engine.until(again, 'finished')).messages).toMatchObject({ sent: 1, skipped: 2 });
  expect(sent.slice(2)).toEqual(['12-11T06:00 04 Coe']);
});

it('with child and date as the key, two children on one phone are reminded of each visit, also of a moved one', async () => {
  const { engine, provider, sent, comes } = await setUp();
  const visit = (child: string, day: number) => `${phone(1)},,${child},${day}/12/2026`;
  await launchReminders(engine, { job: JOB(CHILD), csv: csvOf([visit('Ali', 2), visit('Bea', 2), LAST]) });
  await engine.start(provider);
  await comes('2026-12-01T06:00:01Z', 2);
  // Ali did not come, and gets another date. Bea was there.
  await launchReminders(engine, { job: JOB(CHILD), csv: csvOf([visit('Ali', 9), visit('Bea', 2), LAST]) });
  await comes('2026-12-08T06:00:01Z', 3);
  expect(sent.map((each) => each.slice(12))).toEqual(['01 Ali', '01 Bea', '01 Ali']);
});

it('refuses other key columns than those of the last campaign of the name', async () => {
  const { engine, provider, comes } = await setUp();
  const csv = csvOf([`${phone(1)},,Ali,2/12/2026`]);
  const campaign = await launchReminders(engine, { job: JOB(CHILD), csv });
  await engine.start(provider);
  await comes('2026-12-01T06:00:01Z', 1);
  await engine.until(campaign, 'finished');
  for (const [key, words] of [
    ['key: [Tarehe, Mtoto]\n', '`[Tarehe, Mtoto]`'],
    ['key: Mtoto\n', '`Mtoto`'],
    ['', 'none'],
  ] as const)
    await expect(launchReminders(engine, { job: JOB(key), csv })).rejects.toMatchObject({
      code: 'job_invalid',
      message: `The key is ${words}; that of ${campaign.id}, the last campaign of this name, is \`[Mtoto, Tarehe]\`. Who was reminded under the one would be reminded again under the other.`,
    });
  await launchReminders(engine, { job: JOB('key: [mtoto, TAREHE]\n'), csv: csvOf([LAST]) });
});

it.each(['key: Simu\n', 'key: [Mtoto, Simu 2]\n'])(
  'refuses a phone in the key, which a correction may swap: %s',
  async (key) => {
    const { engine } = await setUp();
    const csv = csvOf([`${phone(1)},${phone(11)},Ali,2/12/2026`]);
    await expect(launchReminders(engine, { job: JOB(key), csv })).rejects.toMatchObject({
      code: 'job_invalid',
      message: '`key` names a column of phone numbers, and `columns.mobile` has several.',
    });
  },
);

it('hours count from the time of the visit, also over midnight', async () => {
  const { engine, provider, sent, comes } = await setUp();
  const job = JOB(
    CHILD,
    '{ column: Tarehe, offsets: [-1d, { offset: -2h, message: "<<Mtoto>>, soon" }], at: { column: Tarehe } }',
  );
  const csv = csvOf([`${phone(1)},,Ali,2026-12-02 14:30`, `${phone(2)},,Bea,2026-12-03 00:30`]);
  await launchReminders(engine, { job, csv });
  await engine.start(provider);
  await comes('2026-12-01T11:30:01Z', 1);
  await comes('2026-12-01T21:30:01Z', 2);
  await comes('2026-12-02T09:30:01Z', 3);
  await comes('2026-12-02T19:30:01Z', 4);
  expect(sent).toEqual([
    '12-01T11:30 01 Ali',
    '12-01T21:30 02 Bea',
    '12-02T09:30 01 Ali, soon',
    '12-02T19:30 02 Bea, soon',
  ]);
});

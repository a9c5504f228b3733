import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { planContacts } from '../../../src/campaign/planning/plan.ts';
import { openContacts } from '../../../src/contacts/contacts-file.ts';
import { Rejects } from '../../../src/contacts/rejects.ts';
import { compileTemplate } from '../../../src/domain/text/template.ts';
import { contactsOf, freshPath } from '../../contacts/reading.ts';
import { LedgerStory } from '../../support/ledger-story.ts';

/** One number as people, phones and spreadsheets write it; given are the nine digits that are its own. */
const SPELLINGS: ((digits: string) => string)[] = [
  (digits) => `254${digits}`,
  (digits) => `0${digits}`,
  (digits) => digits,
  (digits) => `+254${digits}`,
  (digits) => `00254${digits}`,
  (digits) => `0${digits.slice(0, 3)} ${digits.slice(3, 6)} ${digits.slice(6)}`,
  (digits) => `+254 ${digits.slice(0, 3)}-${digits.slice(3)}`,
  (digits) => `(0${digits.slice(0, 3)}) ${digits.slice(3)}`,
  (digits) => `254${digits}.0`,
  (digits) => `'0${digits}`,
  (digits) => `tel:+254${digits}`,
  (digits) => `\u200E+254${digits}\u00A0`,
];
const PEOPLE = ['711000111', '722000222', '733123456', '700000000'];

interface Row {
  person: number;
  spelling: number;
  key: string;
}

const rowsOfPeople = fc.array(
  fc.record({
    person: fc.nat({ max: PEOPLE.length - 1 }),
    spelling: fc.nat({ max: SPELLINGS.length - 1 }),
    key: fc.constantFrom('march', 'april'),
  }),
  { minLength: 1, maxLength: 40 },
);

function csvOf(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ person, spelling, key }) => `${SPELLINGS[spelling]?.(PEOPLE[person] ?? '')},Asha,${key}`,
  );
  return `${['mobile,name,invoice', ...lines].join('\n')}\n`;
}

/** The first row of each identity, as the ledger must hold it. */
function expectedOf(rows: readonly Row[], byKey: boolean) {
  const first = new Map<string, { line: number; mobile: string; key: string }>();
  for (const [index, row] of rows.entries()) {
    const [mobile, key] = [`254${PEOPLE[row.person]}`, byKey ? row.key : ''];
    if (!first.has(mobile + key)) first.set(mobile + key, { line: index + 2, mobile, key });
  }
  return [...first.values()];
}

it('however a number is spelt, the plan has one message for each identity: the first row that says it [B7]', async () => {
  const story = await LedgerStory.begin();
  const database = new DatabaseSync(story.file, { readOnly: true });
  const planned = database.prepare('SELECT line, mobile, key FROM message WHERE campaign = ? ORDER BY seq');
  const property = fc.asyncProperty(rowsOfPeople, fc.boolean(), async (rows, byKey) => {
    const draft = await story.draft();
    await using contacts = await openContacts({ path: contactsOf(csvOf(rows)), countries: ['KE'] });
    await using rejects = new Rejects({
      place: { path: freshPath('rejects.csv'), ifTaken: 'refuse' },
      contacts,
    });
    const tally = await planContacts({
      contacts,
      template: compileTemplate({ source: 'Hi <<name>>', file: 't', header: contacts.header, columns: {} }),
      countries: ['KE'],
      fieldsOf: ({ cells }) => cells,
      keyColumns: byKey ? [2] : [],
      otherMobileColumns: [],
      optOutText: '',
      reminders: null,
      sink: { add: (added) => story.ledger.addMessages(draft, added, { now: story.now }), suppressed: null },
      rejects,
      signal: new AbortController().signal,
    });
    const expected = expectedOf(rows, byKey);
    expect(planned.all(draft).map((row) => ({ ...row }))).toEqual(expected);
    const duplicate = rows.length - expected.length;
    expect(tally).toMatchObject({ planned: expected.length, rejected: { invalid: 0, duplicate } });
    expect((await rejects.finish())?.rows ?? 0).toBe(duplicate);
    await story.ledger.discardDraft(draft);
  });
  await fc.assert(property, { numRuns: 40 });
  database.close();
});

import { reasonText } from '../../../src/domain/row-reason.ts';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadJob } from '../../../src/campaign/jobs/load-job.ts';
import { contactsOf, hashesOf } from '../../../src/campaign/planning/job-contacts.ts';
import { planJob } from '../../../src/campaign/planning/plan-job.ts';
import { compileTemplate } from '../../../src/domain/text/template.ts';
import { wordsFor } from '../../../src/domain/text/template-words.ts';
import type { Ledger } from '../../../src/ledger/contracts/ledger.ts';
import type { NewMessage } from '../../../src/ledger/contracts/records.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { numberCell, sheetOf, stylesOf, textCell, workbookOf } from '../../contacts/zip.ts';
import { makeTempDir } from '../../support/temp-home.ts';

/* A plan of a workbook as people have it: what they see is sent, and what hides is said. */

const SHARED = fileURLToPath(new URL('../../contacts/workbooks/', import.meta.url));
const SETTING = {
  gsmSafe: false,
  countries: ['KE'],
  zone: 'Africa/Nairobi',
  currency: 'KES',
  optOutText: '',
  sender: 'DUKA',
  optOuts: null,
};

/** Plans a job of a workbook, and renders the texts from the cells that the ledger keeps, as sending does. */
async function planWorkbook(workbook: Buffer | string, message: string, lines: string[] = []) {
  const folder = makeTempDir();
  const [file, list] = [join(folder, 'job.yaml'), join(folder, 'list.xlsx')];
  const job = ['name: n', 'kind: transactional', 'contacts: ./list.xlsx', ...lines];
  writeFileSync(file, `${job.join('\n')}\nmessage: ${JSON.stringify(message)}\n`);
  if (typeof workbook === 'string') copyFileSync(join(SHARED, workbook), list);
  else writeFileSync(list, workbook);
  const loaded = await loadJob(file);
  await using contacts = await contactsOf(loaded, null, { folder, input: Readable.from([]) });
  const messages: NewMessage[] = [];
  const take = async (_draft: number, rows: NewMessage[]) => {
    messages.push(...rows);
    return [];
  };
  const ledger = {
    createDraft: async (draft: object) => ({ ...draft, n: 7 }),
    addMessages: take,
    stageReminders: take,
    discardDraft: async () => undefined,
  };
  const planned = await planJob(
    { ledger: ledger as unknown as Ledger, clock: systemClock, random: Math.random },
    {
      ...SETTING,
      loaded,
      contacts,
      hashes: await hashesOf(loaded, contacts),
      rejectsPlace: { path: join(folder, 'rejects.csv'), ifTaken: 'refuse' },
    },
  );
  const { header } = planned.draft.settings;
  const words = wordsFor({ ...loaded.job, currency: 'KES' });
  const template = compileTemplate({ ...loaded.template, header, columns: loaded.job.columns, words });
  const texts = messages.map(({ fields }) => {
    const rendered = template.render(fields);
    return rendered.ok ? rendered.text : reasonText(rendered.reason);
  });
  return { planned, messages, texts };
}

describe('a workbook', () => {
  it('is sent as a person sees it: times, percentages, leading zeros, money and dates', async () => {
    const { texts, planned } = await planWorkbook('shown.xlsx', '<<value>> = <<shown as>>');
    expect(texts).toHaveLength(10);
    for (const text of texts) {
      const [value, shown] = text.split(' = ');
      expect(value).toBe(shown);
    }
    expect(planned.draft.settings.header).toEqual(['name', 'phone', 'value', 'shown as']);
  });

  it('gives its values to dates, money, keys and reminders, beside the shown text of the same cell', async () => {
    const styles = stylesOf([0, 'dd/mm/yyyy', '"KES" #,##0', '00000', 'mmm yyyy']);
    const row = (cells: string) => `<row>${cells}</row>`;
    const sheet = sheetOf(
      row(['phone', 'due', 'sum', 'member'].map(textCell).join('')) +
        row(textCell('0712345678') + numberCell(46_423, 1) + numberCell(1234.5, 2) + numberCell(42, 3)) +
        row(
          numberCell(254_722_345_678, 0) +
            numberCell(46_424, 4) +
            numberCell(2_500_000, 0) +
            numberCell(43, 3),
        ),
    );
    const { texts, messages } = await planWorkbook(
      workbookOf({ sheet, styles }),
      '<<due>>, <<date due>>: <<sum>>, <<money sum>>, no. <<member>>',
      ['key: member', 'remind: { column: due }'],
    );
    expect(texts).toEqual([
      '05/02/2027, 5 February 2027: KES 1,235, 1,234.50, no. 00042',
      'Feb 2027, 6 February 2027: 2500000, 2,500,000.00, no. 00043',
    ]);
    expect(messages.map(({ mobile, key, occurrence }) => ({ mobile, key, occurrence }))).toEqual([
      { mobile: '254712345678', key: '42', occurrence: '2027-02-05' },
      { mobile: '254722345678', key: '43', occurrence: '2027-02-06' },
    ]);
  });

  it('with titles, a blank line and a total is planned without a change, and the total is a reject', async () => {
    for (const lines of [
      [],
      ['columns: { mobile: Phone No }'],
      ['header: 3', 'columns: { mobile: Phone No }'],
    ]) {
      const { texts, planned } = await planWorkbook('title-row.xlsx', 'Hi <<Name>>: <<Shares (KES)>>', lines);
      expect(texts.slice(0, 2)).toEqual(['Hi Amina Wanjiru: 10679.93', 'Hi Chebet: 1200']);
      expect(planned.contacts).toMatchObject({ headerLine: 3, titleLines: 1 });
      expect(planned.tally.reasons()).toContainEqual(
        expect.objectContaining({ reason: 'total row', count: 1, lines: [9] }),
      );
    }
  });

  it('with a second column of phones and a negative amount reaches everybody in it', async () => {
    const message = '<<Name>> <<money Shares (KES)>>';
    const { texts } = await planWorkbook('title-row.xlsx', message, [
      'columns: { mobile: [Phone No, Alternative Phone] }',
    ]);
    expect(texts).toEqual([
      'Amina Wanjiru 10,679.93',
      "Brian O'Otieno -4.88",
      'Chebet 1,200.00',
      'Mũturi 0.50',
      'Dan 99.00',
    ]);
  });

  it('says which of its sheets is read', async () => {
    const first = await planWorkbook('two-sheets.xlsx', 'Hi <<name>>');
    expect(first.planned.contacts.workbook?.sheet).toEqual({ name: '2025 (old)', position: 1, of: 2 });
    const second = await planWorkbook('two-sheets.xlsx', 'Hi <<name>>', ['sheet: "2026"']);
    expect(second.planned.contacts.workbook?.sheet).toEqual({ name: '2026', position: 2, of: 2 });
    expect(second.texts).toEqual(['Hi New0', 'Hi New1', 'Hi New2']);
  });

  it('counts the rows that a filter hides, and leaves them out only where the job says so', async () => {
    const all = await planWorkbook('filtered.xlsx', 'Hi <<name>>');
    expect(all.texts).toHaveLength(6);
    expect(all.planned.contacts.workbook).toMatchObject({
      hidden: 4,
      isFiltered: true,
      hiddenLeftOut: false,
    });
    const visible = await planWorkbook('filtered.xlsx', 'Hi <<name>>', ['rows: visible']);
    expect(visible.texts).toEqual(['Hi P0', 'Hi P1']);
    expect(visible.planned.contacts.workbook).toMatchObject({ hidden: 4, hiddenLeftOut: true });
    expect(visible.messages.map(({ line }) => line)).toEqual([2, 3]);
  });
});

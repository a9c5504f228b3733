import { reasonText } from '../../../src/domain/row-reason.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { loadJob } from '../../../src/campaign/jobs/load-job.ts';
import { countSegments } from '../../../src/domain/text/segments.ts';
import { compileTemplate } from '../../../src/domain/text/template.ts';

const JOBS = join(import.meta.dirname, '../../../jobs');
const OPT_OUT_TEXT = ' STOP*456*9*5#';

async function sample(name: string) {
  const loaded = await loadJob(join(JOBS, name));
  const file = await readFile(loaded.contactsPath ?? '');
  const [header = [], ...rows] = parse(file, { relax_column_count: true });
  return {
    loaded,
    rows,
    template: compileTemplate({ ...loaded.template, header, columns: loaded.job.columns }),
  };
}

describe('the sample campaign', () => {
  it('works at any hour and is promotional', async () => {
    const { loaded } = await sample('promo.yaml');
    expect(loaded.job).toMatchObject({ kind: 'promotional', window: null, start: null, budgetMicro: null });
  });

  it('has the dirt of real files in its contacts', async () => {
    const { rows } = await sample('promo.yaml');
    expect(rows).toHaveLength(300);
    const shapes = [
      /^254\d{9}$/,
      /^0\d{9}$/,
      /^[17]\d{8}$/,
      /^\+254 \d{3} \d{3} \d{3}$/,
      /^0\d{3} \d{3} \d{3}$/,
      /^00254\d{9}$/,
    ];
    for (const shape of shapes)
      expect(rows.filter(([phone = '']) => shape.test(phone)).length).toBeGreaterThan(5);
    const phones = rows.map(([phone = '']) => phone);
    expect(phones).toEqual(expect.arrayContaining(['020 2000123', '2.547E+11', '07000123', 'n/a', '']));
    const people = phones.map((phone) => phone.replaceAll(/\D/g, '')).filter((digits) => digits.length >= 9);
    expect(people.length - new Set(people.map((digits) => digits.slice(-9))).size).toBe(5);
    expect(rows.filter((row) => row.length !== 4)).toHaveLength(1);
  });

  it('has only numbers of one invented block', async () => {
    for (const name of ['promo.yaml', 'notice.yaml', 'reminder.yaml']) {
      const { rows } = await sample(name);
      const national = rows
        .map(([phone = '']) => phone.replaceAll(/\D/g, '').slice(-9))
        .filter((digits) => digits.length === 9);
      for (const digits of national) expect(digits).toMatch(/^(?:(?:700|733|770|110)000\d{3}|202000123)$/);
    }
  });

  it('costs one segment but for a few names, which cost two with the opt-out text', async () => {
    const { rows, template } = await sample('promo.yaml');
    const counts = rows.flatMap((row) => {
      const rendered = template.render(row);
      return rendered.ok ? [countSegments(rendered.text + OPT_OUT_TEXT)] : [];
    });
    const kinds = Map.groupBy(counts, ({ encoding, segments }) => `${encoding} ${segments}`);
    expect([...kinds].map(([kind, { length }]) => [kind, length])).toEqual([
      ['gsm7 1', 289],
      ['ucs2 2', 5],
      ['gsm7 2', 3],
    ]);
  });

  it('forces UCS-2 by Wanjikũ and not by José, and lets no blank name and no left-over placeholder pass', async () => {
    const { rows, template } = await sample('promo.yaml');
    const encodingOf = (name: string) => {
      const rendered = template.render(rows.find((row) => row[1] === name) ?? []);
      return rendered.ok ? countSegments(rendered.text).encoding : reasonText(rendered.reason);
    };
    expect(encodingOf('José')).toBe('gsm7');
    expect(encodingOf('Wanjikũ')).toBe('ucs2');
    expect(encodingOf('{{first_name}}')).toBe('placeholder in name');
    expect(encodingOf('')).toBe('missing name');
  });
});

describe('the transactional sample', () => {
  it('is one message a pupil, at any hour, in one segment', async () => {
    const { loaded, rows, template } = await sample('notice.yaml');
    expect(loaded.job).toMatchObject({ kind: 'transactional', key: ['pupil'], window: null });
    for (const row of rows) {
      const rendered = template.render(row);
      expect(rendered.ok && countSegments(rendered.text).segments).toBe(1);
    }
  });
});

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { addDays, parseDate, parseDateFormat, parseTimeOfDay } from '../../../src/domain/time/dates.ts';

const DMY = parseDateFormat('dd/mm/yyyy');
const MDY = parseDateFormat('mm/dd/yyyy');

describe('a date as people write it', () => {
  it.each([
    ['2026-11-27', null, '2026-11-27'],
    [' 2026-11-27T09:00 ', null, '2026-11-27'],
    ['2026-11-27 00:00:00', null, '2026-11-27'],
    ['2026/11/27', null, '2026-11-27'],
    ['27/11/2026', null, '2026-11-27'],
    ['11/27/2026', null, '2026-11-27'],
    ['05/05/2026', null, '2026-05-05'],
    ['03/04/2026', DMY, '2026-04-03'],
    ['03/04/2026', MDY, '2026-03-04'],
    ['3.4.26', DMY, '2026-04-03'],
    ['3-4-2026 14:30', DMY, '2026-04-03'],
    ['3-4-2026 10.00', DMY, '2026-04-03'],
    ['3-4-2026 2pm', DMY, '2026-04-03'],
    ['3/4/2026 2:30 PM', DMY, '2026-04-03'],
    ['27 Nov 2026 14h30', null, '2026-11-27'],
    ['3 4.26', DMY, '2026-04-03'],
    ['27 Nov 2026', null, '2026-11-27'],
    ['27-Nov-26', DMY, '2026-11-27'],
    ['November 27, 2026', null, '2026-11-27'],
    // Excel: 27 November 2026, and with a time of the day.
    ['46353', null, '2026-11-27'],
    ['46353.375', DMY, '2026-11-27'],
    ['29/02/2028', DMY, '2028-02-29'],
    ['2027/03/04', ['year', 'day', 'month'], '2027-04-03'],
    ['2027-03-04', ['day', 'month', 'year'], '2027-03-04'],
    ['27-Nov-26', ['year', 'month', 'day'], '2026-11-27'],
    ['26/11/27', ['year', 'month', 'day'], '2026-11-27'],
    ['27/11/26', parseDateFormat('dd/mm/yy'), '2026-11-27'],
    ['26-Nov-27', ['day', 'month', 'year'], '2027-11-26'],
    ['27-Nov-2026', ['year', 'month', 'day'], '2026-11-27'],
    ['27 Sept. 2026', null, '2026-09-27'],
    ['27 September 2026', null, '2026-09-27'],
  ] as const)('%j is read', (cell, format, date) => {
    expect(parseDate(cell, format)).toEqual({ ok: true, date });
  });

  it.each([
    '',
    'tomorrow',
    '31/02/2026',
    '29/02/2027',
    '2026-13-01',
    '27/11',
    '1/1/1',
    '0',
    '254712345678',
    '45',
    '1/2/3/4',
    '1/2/2026/4',
    '1e1/11/2026',
    '5 Ju 2027',
    '31/12/1989',
    '01/01/2190',
    '31 Apr 2027',
    '27 Marble 2026',
  ])('%j is no date', (cell) => {
    expect(parseDate(cell, DMY)).toMatchObject({ ok: false, reason: 'not a date' });
  });

  it.each([
    ['01', 'January Jan.'],
    ['02', 'February Feb'],
    ['03', 'March Mar'],
    ['04', 'April Apr'],
    ['05', 'May'],
    ['06', 'June Jun'],
    ['07', 'July Jul'],
    ['08', 'August Aug'],
    ['09', 'September Sept'],
    ['10', 'October Oct'],
    ['11', 'November Nov'],
    ['12', 'December Dec'],
  ])('of month %s is read by each of its names: %s', (month, names) => {
    for (const name of names.split(' '))
      expect(parseDate(`7 ${name} 2027`, null)).toEqual({ ok: true, date: `2027-${month}-07` });
  });

  it('is of the years that a reminder can be about, the first and the last of them included', () => {
    for (const date of ['1990-01-01', '2189-12-31'])
      expect(parseDate(date, null)).toEqual({ ok: true, date });
  });

  it('is ambiguous when day and month could change places and nothing was declared', () => {
    expect(parseDate('03/04/2026', null)).toMatchObject({ ok: false, reason: 'ambiguous date' });
  });

  it('never says the cell in its detail', () => {
    for (const cell of ['03/04/2026', 'secret'])
      expect(JSON.stringify(parseDate(cell, null))).not.toContain(cell);
  });

  test.each(['dd/mm', 'dd/dd/yyyy', 'x', '', 'dd/mm/yyyy/dd'])('%j is no format', (text) => {
    expect(parseDateFormat(text)).toBeNull();
  });

  test('every day of the calendar is read back in every form', () => {
    const day = fc.date({ min: new Date('1991-01-01'), max: new Date('2188-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(day, (instant) => {
        const date = instant.toISOString().slice(0, 10);
        const [year, month, dayOfMonth] = date.split('-');
        const serial = Math.round((Date.parse(date) - Date.UTC(1899, 11, 30)) / 86_400_000);
        expect(parseDate(date, null)).toEqual({ ok: true, date });
        expect(parseDate(`${dayOfMonth}/${month}/${year}`, DMY)).toEqual({ ok: true, date });
        expect(parseDate(`${month}/${dayOfMonth}/${year}`, MDY)).toEqual({ ok: true, date });
        if (serial < 100_000) expect(parseDate(String(serial), DMY)).toEqual({ ok: true, date });
        expect(addDays(addDays(date, -40), 40)).toBe(date);
      }),
    );
  });
});

describe('a time of day as people write it', () => {
  it.each([
    ['14:30', 870],
    ['14:30:59', 870],
    ['2026-11-27 14:30', 870],
    ['2026-11-27T14:30', 870],
    ['10.00', 600],
    ['9.05', 545],
    ['00.25', 25],
    ['1430', 870],
    ['0930', 570],
    // A spreadsheet dropped the zero.
    ['930', 570],
    ['1430hrs', 870],
    ['14:30 hrs', 870],
    ['14h30', 870],
    ['2pm', 840],
    ['2 PM', 840],
    ['2 p.m.', 840],
    ['2:30 PM', 870],
    ['2.30pm', 870],
    ['12am', 0],
    ['12 pm', 720],
    ['27/11/2026 2pm', 840],
    ['27/11/2026 10.00', 600],
    ['0.5', 720],
    ['.25', 360],
    ['0.375', 540],
    ['0.604166666666667', 870],
    ['0.604', 870],
    ['0.999999', 1439],
    ['46353.5', 720],
    ['46353.99999', 1439],
  ])('%j is minute %i', (cell, minute) => {
    expect(parseTimeOfDay(cell)).toBe(minute);
  });

  it.each([
    '',
    '9',
    '14',
    '10.5',
    '10.75',
    '24:00',
    '2460',
    '14:60',
    '13pm',
    '0pm',
    '2pm or later',
    '2026-11-27',
    '27 Nov 2026',
    '27.11.2026',
    '46353',
    // Half past midnight, or 07:12?
    '0.30',
    '0.45',
    '2h',
    'noon',
    '14:30+03:00',
  ])('%j is none', (cell) => {
    expect(parseTimeOfDay(cell)).toBeNull();
  });
});

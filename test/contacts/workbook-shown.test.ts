import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { convert } from './converter.ts';
import { sheetOf, stylesOf, textCell, workbookOf } from './zip.ts';
import { numberFormat } from '../../src/contacts/workbook/shown.ts';

/* What a person sees of a number in a spreadsheet, and the value behind it. */

const shown = (code: string | number, number: number, date1904 = false) =>
  numberFormat(typeof code === 'number' ? { id: code, code: null } : { id: 200, code }, date1904).textOf(
    number,
  );

describe('a number of a workbook', () => {
  it.each([
    ['General', 254_712_345_678, '254712345678', '254712345678'],
    ['General', 0.1 + 0.2, '0.3', '0.3'],
    ['0.00E+00', 254_712_345_678, '254712345678', '254712345678'],
    ['@', 42, '42', '42'],
    ['General" KES"', 250_000_000_000, '250000000000', '250000000000'],
    ['General" KES"', 250, '250 KES', '250'],
    ['[>100]"many";0', 150, 'many', '150'],
    ['0%', 0.2, '20%', '0.2'],
    ['0.0%', 0.125, '12.5%', '0.125'],
    ['00000', 42, '00042', '42'],
    ['0000000000', 712_345_678, '0712345678', '712345678'],
    ['#,##0', 1_234_567, '1,234,567', '1234567'],
    ['"KES" #,##0.00', 1200, 'KES 1,200.00', '1200'],
    ['[$KES] #,##0', 1200, 'KES 1,200', '1200'],
    ['_-* #,##0.00_-;\\-* #,##0.00_-;_-* "-"??_-;_-@_-', 1200, '1,200.00', '1200'],
    ['_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)', -5, '(5.00)', '-5'],
    ['#,##0;[Red]#,##0', -5, '-5', '-5'],
    ['# ?/?', 0.5, '1/2', '0.5'],
    [';;;', 5, '', '5'],
    ['bad[[', 5, '5', '5'],
  ])('of the format %s is shown as a person sees it: %s', (code, number, seen, value) => {
    expect(shown(code, number)).toEqual({ shown: seen, value });
  });

  it.each([
    ['h:mm AM/PM', 0.604_166_666_666_666_6, '2:30 PM', '14:30'],
    ['hh:mm', 0, '00:00', '00:00'],
    ['hh:mm', 0.999_305_555_555, '23:59', '23:59'],
    ['hh:mm:ss', 0.604_178_240_740_740_7, '14:30:01', '14:30:01'],
    ['hh:mm', 46_353.604_166_666_664, '14:30', '2026-11-27 14:30'],
    ['[h]:mm', 1.5, '36:00', '36:00:00'],
    ['[mm]:ss', 0.01, '14:24', '0:14:24'],
    ['dd/mm/yyyy', 46_353, '27/11/2026', '2026-11-27'],
    ['d mmm yyyy h:mm', 46_353.375, '27 Nov 2026 9:00', '2026-11-27 09:00'],
    ['mmm yyyy', 46_327, 'Nov 2026', '2026-11-01'],
    ['[$-409]mmmm\\ d\\,\\ yyyy', 46_353, 'November 27, 2026', '2026-11-27'],
  ])('of the format %s is a date or a time: %s', (code, number, seen, value) => {
    expect(shown(code, number)).toEqual({ shown: seen, value });
  });

  it('counts days from 1904 where the workbook says so, and neither times nor hours', () => {
    expect(shown('dd/mm/yyyy', 44_891, true)).toEqual({ shown: '27/11/2026', value: '2026-11-27' });
    expect(shown('hh:mm', 0.25, true)).toEqual({ shown: '06:00', value: '06:00' });
    expect(shown('[h]:mm', 1.5, true).shown).toBe('36:00');
  });

  it('is a date with the day first where its order is that of the computer', () => {
    expect(shown(14, 46_353)).toEqual({ shown: '27/11/2026', value: '2026-11-27' });
    expect(shown(22, 46_353.5).shown).toBe('27/11/2026 12:00');
    expect(shown('[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy', 46_353).shown).toBe('Friday, 27 November 2026');
    expect(numberFormat({ id: 14, code: null }, false).isLocaleDate).toBe(true);
    expect(numberFormat({ id: 200, code: 'dd/mm/yyyy' }, false).isLocaleDate).toBe(false);
  });
});

describe('a sheet as other programs write it', () => {
  const copyOf = (workbook: Buffer) => readFileSync(convert(workbook).target, 'utf8').split('\n');

  it('is read with prefixes, runs, references, formulas, and without the names of its cells', () => {
    const sheet = sheetOf(
      '<x:row><x:c t="str"><x:f>A1&amp;"x"</x:f><x:v>a &lt;b&gt; &#233;&#x1F600;</x:v></x:c><x:c t="b"><x:v>1</x:v></x:c><x:c t="e"><x:v>#N/A</x:v></x:c></x:row>' +
        '<row r="3"><c r="B3" t="s"><v>1</v></c><c r="A3" t="inlineStr"><is><r><t>two </t></r><r><t>runs</t></r></is></c></row>' +
        '<row r="4" spans="1:2"><!-- <c> --><c t="inlineStr"><is><t><![CDATA[a<b]]></t></is></c><c><v></v></c><c s="1"><v>150</v></c><c t="inlineStr"><is><t>x_x000D_\ny</t></is></c></row>',
    );
    const sharedStrings =
      '<sst><si><t>first</t></si><si><t>漢字</t><rPh sb="0" eb="1"><t>かんじ</t></rPh></si></sst>';
    const styles = stylesOf([0, '[>100]"many";0']);
    expect(copyOf(workbookOf({ sheet, sharedStrings, styles }))).toEqual([
      'a <b> é😀,TRUE,#N/A,,#N/A',
      '',
      'two runs,漢字,,,',
      'a<b,,150,x y,many',
      '',
    ]);
  });

  it('counts its days from 1904 where it says so', () => {
    const sheet = sheetOf(`<row>${textCell('due')}</row><row><c s="1"><v>44891</v></c></row>`);
    const workbookPr = '<workbookPr date1904="1"/>';
    expect(copyOf(workbookOf({ sheet, styles: stylesOf([0, 'dd/mm/yyyy']), workbookPr }))[1]).toBe(
      '2026-11-27,27/11/2026',
    );
  });
});

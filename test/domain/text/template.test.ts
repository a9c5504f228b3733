import { reasonText } from '../../../src/domain/row-reason.ts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TumaError } from '../../../src/domain/errors.ts';
import {
  compileTemplate,
  MAX_TEMPLATE_CHARACTERS,
  MAX_TEXT_CHARACTERS,
  type TemplateOptions,
} from '../../../src/domain/text/template.ts';
import { fuzzRuns } from '../../support/fuzz-runs.ts';

const HEADER = ['Phone', 'First name', 'Town', 'points'];
const ROW = ['0712345678', 'Ann', 'Thika', '40'];

function compile(source: string, options: Partial<TemplateOptions> = {}) {
  return compileTemplate({
    source,
    file: 'promo.txt',
    header: HEADER,
    columns: { name: 'First name' },
    ...options,
  });
}

function text(
  source: string,
  cells: readonly string[] = ROW,
  options: Partial<TemplateOptions> = {},
): string {
  const rendered = compile(source, options).render(cells);
  return rendered.ok ? rendered.text : `INVALID: ${reasonText(rendered.reason)}`;
}

function refusal(source: string, options: Partial<TemplateOptions> = {}): TumaError {
  try {
    compile(source, options);
  } catch (error) {
    expect(error).toBeInstanceOf(TumaError);
    expect((error as TumaError).code).toBe('template_invalid');
    return error as TumaError;
  }
  return expect.unreachable(`accepted: ${source}`);
}

describe('a field', () => {
  it.each([
    ['<<First name>>', 'between angle signs'],
    ['{{First name}}', 'between braces'],
    ['<<  first   NAME >>', 'in any case, with any spaces'],
    ['<<name>>', 'by a key of `columns`'],
    ['{{[First name]}}', 'in the brackets of Handlebars'],
  ])('%s is found %s', (field) => {
    expect(text(`Hi ${field}!`)).toBe('Hi Ann!');
  });

  it('is put in as it is: nothing is escaped', () => {
    expect(text('<<Town>>', ['', '', `O'Neil & Sons <x> "y" 5 > 3`, ''])).toBe(`O'Neil & Sons <x> "y" 5 > 3`);
  });

  it('loses the blanks around its value', () => {
    expect(text('Hi <<name>>!', ['', '  Ann\t', '', ''])).toBe('Hi Ann!');
  });

  it('may stand twice, and in braces of its own', () => {
    expect(text('{<<name>>} {{{Town}} <<name>>}'.replace('{{{', '{ {{'))).toBe('{Ann} { Thika Ann}');
    expect(text('{<<name>>}{<<Town>>}')).toBe('{Ann}{Thika}');
    expect(text('{{name}}}')).toBe('Ann}');
  });

  it('may be called what Handlebars and JavaScript call their own things [X16]', () => {
    const header = [
      'log',
      'if',
      'constructor',
      '__proto__',
      'hasOwnProperty',
      'toString',
      'this',
      'each',
      'lookup',
      'else',
      'a.b',
      '@x',
      '#ref',
      'x|y',
    ];
    const cells = header.map((_, index) => `v${index}`);
    const plain = header.filter((name) => name !== 'else');
    const source = plain.map((name) => `{{${name}}}`).join(' ');
    const expected = plain.map((name) => `v${header.indexOf(name)}`).join(' ');
    expect(text(source, cells, { header, columns: {} })).toBe(expected);
    expect(text('<<[else]>>', cells, { header, columns: {} })).toBe('v9');
    for (const name of header) {
      expect(text(`{{#if ${name}}}yes{{/if}}`, cells, { header, columns: {} })).toBe('yes');
    }
  });

  it('takes a key of `columns` before a header of the same name', () => {
    expect(
      text('<<name>>', ['Bob', 'Ann'], { header: ['name', 'First name'], columns: { name: 'First name' } }),
    ).toBe('Ann');
  });

  it('takes the spelling to tell columns apart that differ only in case', () => {
    const header = ['Name', 'name'];
    expect(text('<<name>>', ['A', 'b'], { header, columns: {} })).toBe('b');
    expect(refusal('<<NAME>>', { header, columns: {} }).message).toContain('Several columns');
    expect(refusal('<<name>>', { header: ['name', 'name'], columns: {} }).message).toContain(
      'Several columns',
    );
  });

  it('does not read HTML, partial words or what stands in the prototype', () => {
    expect(refusal('{{constructor}}').message).toContain('no field "constructor"');
    expect(refusal('{{__proto__}}').message).toContain('no field "__proto__"');
    expect(refusal('{{hasOwnProperty}}').message).toContain('no field');
  });
});

describe('a blank cell', () => {
  it.each(['', '   ', '\t', '\u00a0', '\u200b', '\u200f \u2060'])(
    'makes the row invalid when it is %j',
    (cell) => {
      expect(compile('Hi <<name>>').render(['', cell, '', ''])).toEqual({
        ok: false,
        reason: { code: 'missing', field: 'name' },
        detail: 'the cell of "name" is blank, or an error such as #N/A, and the template has no default',
      });
    },
  );

  it('makes the row invalid when the row is too short to have it', () => {
    expect(text('Hi <<points>>', ['0712345678'])).toBe('INVALID: missing points');
  });

  it('becomes the default where there is one', () => {
    const blank = ['', '', '', ''];
    expect(text('Hi <<name | friend>>!', blank)).toBe('Hi friend!');
    expect(text('Hi {{name|dear friend}}!', blank)).toBe('Hi dear friend!');
    expect(text('Hi <<name | >>!', blank)).toBe('Hi !');
    expect(text('Hi <<name | friend>>!')).toBe('Hi Ann!');
    expect(text('<<name | a>> <<name | b>>', blank)).toBe('a b');
    expect(text('<<name | a | b>>', blank)).toBe('a | b');
  });

  it('still spoils the row where the same field stands without a default', () => {
    expect(text('<<name | friend>> <<name>>', ['', '', '', ''])).toBe('INVALID: missing name');
  });

  it('does not spoil a row whose text does not need it', () => {
    const source = '<<#if name>>Hi <<name>><<else>>Hello<</if>>';
    expect(text(source, ['', '', '', ''])).toBe('Hello');
    expect(text(source)).toBe('Hi Ann');
  });

  it('leaves nothing behind for the next row', () => {
    const template = compile('Hi <<name>>');
    expect(template.render(ROW)).toEqual({ ok: true, text: 'Hi Ann' });
    expect(template.render(['', '', '', '']).ok).toBe(false);
    expect(template.render(ROW)).toEqual({ ok: true, text: 'Hi Ann' });
  });

  it('makes the row invalid when nothing is left to send', () => {
    expect(text('{{#if Town}}<<Town>>{{/if}}', ['', '', '', ''])).toBe('INVALID: empty text');
  });
});

describe('a block', () => {
  it.each(['0', 'false', 'no', 'null', '[]', ' x '])('takes %j for true, for it is not blank', (cell) => {
    expect(text('{{#if points}}yes{{else}}no{{/if}}', ['', '', '', cell])).toBe('yes');
    expect(text('{{#unless points}}yes{{else}}no{{/unless}}', ['', '', '', cell])).toBe('no');
  });

  it.each(['', '  ', '\ufeff\u200b'])('takes %j for false', (cell) => {
    expect(text('{{#if points}}yes{{else}}no{{/if}}', ['', '', '', cell])).toBe('no');
    expect(text('{{#unless points}}yes{{/unless}}', ['', '', '', cell])).toBe('yes');
  });

  it('may be written with either sign, nested, and with names that have spaces', () => {
    const source = '<<#if First name>>{{#unless [Town]}}A<<else>>B<</unless>>{{else}}C{{/if}}';
    expect(text(source)).toBe('B');
    expect(text(source, ['', 'Ann', '', ''])).toBe('A');
    expect(text(source, ['', '', '', ''])).toBe('C');
  });

  it('on lines of its own leaves no empty line', () => {
    expect(text('A\n<<#if name>>\nB\n<</if>>\nC\n')).toBe('A\nB\nC');
  });
});

describe('the text', () => {
  it('does not end with the line end that editors add, and has plain line ends', () => {
    expect(text('Hi <<name>>\r\nBye\r\n')).toBe('Hi Ann\nBye');
    expect(text('Hi\n\n\n')).toBe('Hi');
  });

  it('may hold what only looks like a tag', () => {
    for (const plain of [
      'a < b',
      'x > y >> z',
      '{one}',
      '5 > 3',
      'a | b',
      '\\o/ \\',
      '$& $1 ${x}',
      'a <b> {c}',
    ]) {
      expect(text(plain)).toBe(plain);
    }
  });

  it('is made GSM-safe when asked for, template and values alike', () => {
    const cells = ['', 'Wanjikũ', '', ''];
    expect(text('Hi “<<name>>”…', cells, { gsmSafe: true })).toBe('Hi "Wanjiku"...');
    expect(text('Hi “<<name>>”…', cells)).toBe('Hi “Wanjikũ”…');
  });

  it('is refused when it is longer than an SMS can be', () => {
    expect(text('<<Town>>', ['', '', 'x'.repeat(MAX_TEXT_CHARACTERS), ''])).toHaveLength(MAX_TEXT_CHARACTERS);
    expect(text('<<Town>>', ['', '', 'x'.repeat(MAX_TEXT_CHARACTERS + 1), ''])).toBe(
      'INVALID: text too long',
    );
  });
});

describe('a value that looks like a placeholder [X16]', () => {
  it.each(['{{name}}', '<<name>>', 'a {{ b', 'a << b', '{{{x}}}', '{{'])(
    '%j makes the row invalid',
    (cell) => {
      expect(compile('Hi <<name>>').render(['', cell, '', ''])).toEqual({
        ok: false,
        reason: { code: 'placeholder', field: 'name' },
        detail: 'the cell of "name" holds << or {{, which the provider may replace',
      });
    },
  );

  it('is found when it only comes together in the text', () => {
    expect(text('<<<Town>>'.replace('<<<', '< <<'), ['', '', '<x', ''])).toBe('< <x');
    expect(text('{<<Town>>', ['', '', '{x}', ''])).toBe('INVALID: placeholder in text');
    expect(text('<<name>><<Town>>', ['', 'a<', '<b', ''])).toBe('INVALID: placeholder in text');
    expect(text('<<Town>>', ['', '', '＜＜x', ''], { gsmSafe: true })).toBe('INVALID: placeholder in text');
  });

  it('is never sent, whatever stands in the cells', () => {
    const pieces = fc.constantFrom(
      '{',
      '{{',
      '<',
      '<<',
      '}',
      '>>',
      '\\',
      'a',
      ' ',
      '\u{e000}f0\u{e001}',
      '＜',
      '\n',
    );
    const cell = fc.array(pieces, { maxLength: 6 }).map((parts) => parts.join(''));
    const templates = [
      '{<<name>>{{Town}}<{{points | {}}}',
      '<<name|<>><<Town>>',
      '{{#if name}}{<<name>>}{{else}}<{{/if}}<<Town | {>>',
    ].map((source) => [compile(source), compile(source, { gsmSafe: true })]);
    fc.assert(
      fc.property(
        fc.constantFrom(...templates.flat()),
        fc.array(cell, { minLength: 4, maxLength: 4 }),
        (template, cells) => {
          const rendered = template.render(cells);
          if (rendered.ok) expect(rendered.text).not.toMatch(/<<|\{\{/);
        },
      ),
      { numRuns: fuzzRuns(2_000) },
    );
  });
});

describe('a wrong template [X16]', () => {
  it.each([
    ['{{#each points}}x{{/each}}', 'Blocks other than #if and #unless', 1],
    ['{{#with name}}x{{/with}}', 'Blocks other than #if and #unless', 1],
    ['{{^name}}x{{/name}}', 'Blocks other than #if and #unless', 1],
    ['{{#name}}x{{/name}}', 'Blocks other than #if and #unless', 1],
    ['{{> footer}}', 'Partials', 1],
    ['{{#> layout}}x{{/layout}}', 'Partials', 1],
    ['{{! a comment }}', 'Comments', 1],
    ['{{!-- a comment --}}', 'Comments', 1],
    ['{{& name}}', 'Unescaped fields', 1],
    ['{{* decorator}}', 'Decorators', 1],
    ['{{#*inline "x"}}y{{/inline}}', 'Decorators', 1],
    ['{{~name~}}', 'Marks that cut white space', 1],
    ['{{../name}}', 'Paths', 1],
    ['{{name.length}}', 'Paths', 1],
    ['{{name/length}}', 'Paths', 1],
    ['{{this}}', 'Paths', 1],
    ['{{@root.name}}', 'Paths', 1],
    ['{{.}}', 'Paths', 1],
    ['{{#if (eq name Town)}}x{{/if}}', 'Expressions in parentheses', 1],
    ['{{lookup . "name"}}', 'Paths', 1],
    ['{{name key=Town}}', 'Arguments', 1],
    ['{{log}}', 'There is no field "log"', 1],
    ['{{log name}}', 'There is no field "log name"', 1],
    ['{{#if}}x{{/if}}', 'Blocks other than #if and #unless', 1],
    ['{{#if name as |x|}}x{{/if}}', 'There is no field', 1],
    ['{{"name"}}', 'There is no field', 1],
    ['{{}}', 'There is no field ""', 1],
    ['<<>>', 'There is no field ""', 1],
    ['{{{name}}}', '`{{{` is not a field', 1],
    ['{{{{raw}}}} x {{{{/raw}}}}', '`{{{` is not a field', 1],
    ['<<<name>>>', '`<<<` is not a field', 1],
    ['Hi {{name', 'This `{{` is not closed by a `}}`', 4],
    ['Hi {{name>> x', 'This `{{` is not closed by a `}}`', 4],
    ['Hi <<name}} x', 'This `<<` is not closed by a `>>`', 4],
    ['Hi <<na\nme>> x', 'This `<<` is not closed by a `>>`', 4],
    ['Hi <<name <<Town>>', 'This `<<` is not closed by a `>>`', 4],
    ['Hi <<name | {{Town}}>>', 'This `<<` is not closed by a `>>`', 4],
    ['Hi name}}', 'This `}}` closes nothing', 8],
    ['Hi \\{{name}}', 'A backslash before a field', 4],
    ['Hi \\<<name>>', 'A backslash before a field', 4],
    ['Hi \\{<<name>>', 'A backslash before a field', 4],
    ['Hi {{else}}', 'This `else` is outside of a block', 4],
    ['{{#if name}}{{else}}{{else}}{{/if}}', 'A block has one `else`', 21],
    ['{{#if name}}{{else if Town}}{{/if}}', 'Chains of `else if` are not allowed', 13],
    ['{{#if name}}{{/unless}}', 'This `/unless` closes a `#if`', 13],
    ['x{{/if}}', 'This `/if` closes nothing', 2],
    ['x{{#if name}}{{#if Town}}{{/if}}', 'This `#if` is never closed', 2],
    ['Hi \u0000', 'A control character', 4],
    ['Hi \ud800', 'A control character or half a character', 4],
    ['', 'The template is empty', 1],
    [' \n', 'The template is empty', 1],
  ])('%j is refused: %s', (source, message, column) => {
    const error = refusal(source);
    expect(error.message).toContain(message);
    expect(error.where).toBe(`promo.txt:1:${column}`);
    expect(error.hint).not.toBeNull();
    expect(error.exitCode).toBe(6);
  });

  it('is refused at line and column of the text as it was written', () => {
    expect(refusal('Hi <<name>>,\r\n<<#if Town>>at <<Town>><</if>> <<naem>>\n').where).toBe('promo.txt:2:32');
    expect(refusal('a\rb\nc <<x>>').where).toBe('promo.txt:3:3');
    expect(refusal('😀 <<x>>').where).toBe('promo.txt:1:4');
  });

  it('is told which field was meant, and which there are', () => {
    const error = refusal('Hi <<Frist name>>');
    expect(error.message).toBe('There is no field "Frist name" in the CSV');
    expect(error.hint).toBe(
      'Did you mean "First name"? The fields are: name, Phone, First name, Town, points.',
    );
  });

  it('lists at most twenty fields', () => {
    const header = Array.from({ length: 64 }, (_, index) => `column ${index}`);
    expect(refusal('<<zzzzzzzz>>', { header, columns: {} }).hint).toMatch(/column 19 and 44 more\.$/);
  });

  it('is told of a key of `columns` that no header bears out', () => {
    const error = refusal('<<name>>', { columns: { name: 'Firstname' } });
    expect(error.message).toContain('`columns` says that "name" is the column "Firstname"');
    expect(error.hint).toContain('Did you mean "First name"?');
  });

  it('is refused at once when it is a megabyte', () => {
    expect(compile('x'.repeat(MAX_TEMPLATE_CHARACTERS))).toBeDefined();
    expect(refusal('{{'.repeat(500_000)).message).toContain('1000000 characters; 10000 are allowed');
  });

  it('is refused when it is an object in place of a text (CVE-2026-33937)', () => {
    const tree = { type: 'Program', body: [], blockParams: [] } as unknown as string;
    expect(() => compile(tree)).toThrow(TypeError);
  });

  it('either compiles or is refused with a place, whatever it holds', () => {
    const pieces = fc.constantFrom(
      '{{',
      '}}',
      '<<',
      '>>',
      '{',
      '}',
      '<',
      '>',
      '#if ',
      '#unless ',
      '/if',
      '/unless',
      'else',
      'else if ',
      'name',
      'Town',
      'log',
      ' ',
      '|',
      '\\',
      '[',
      ']',
      '~',
      '!',
      '!--',
      '--',
      '&',
      '>',
      '@',
      '.',
      '/',
      '=',
      '"',
      '(',
      ')',
      '\n',
      'é',
      '^',
      '*',
      'as |x|',
      '{{name}}',
      '<<#if Town>>',
      '<</if>>',
    );
    const sources = fc.array(pieces, { minLength: 1, maxLength: 14 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(sources, (source) => {
        try {
          const rendered = compile(source).render(ROW);
          if (rendered.ok) expect(rendered.text).not.toMatch(/<<|\{\{/);
        } catch (error) {
          expect((error as TumaError).code).toBe('template_invalid');
          expect((error as TumaError).where).toMatch(/^promo\.txt:\d+:\d+$/);
        }
      }),
      { numRuns: fuzzRuns(5_000) },
    );
  });
});

describe('dates and amounts in a text', () => {
  const header = ['Phone', 'due', 'balance'];
  const words = { language: 'en', currency: 'KES', dateFormat: null } as const;
  const written = (source: string, cells: string[], more: Partial<TemplateOptions['words']> = {}) =>
    text(source, ['0712345678', ...cells], { header, words: { ...words, ...more } });

  it.each([
    ['<<date due "d MMMM yyyy">>', '2026-11-27', '27 November 2026'],
    ['<<date due "EEEE d MMM yy">>', '27 Nov 2026', 'Friday 27 Nov 26'],
    ['<<date due "dd/MM/yyyy">>', '46353', '27/11/2026'],
    ['{{date due}}', '2026-11-27 09:30', '27 November 2026'],
    ['<<date due | soon>>', '', 'soon'],
  ])('%s of %j is %s', (source, cell, expected) => {
    expect(written(source, [cell, ''])).toBe(expected);
  });

  it('are in Swahili where the job says so, and in the declared order of day and month', () => {
    expect(written('<<date due "EEEE d MMMM yyyy">>', ['2026-11-27'], { language: 'sw' })).toBe(
      'Ijumaa 27 Novemba 2026',
    );
    expect(written('<<date due>>', ['03/04/2026'], { dateFormat: ['day', 'month', 'year'] })).toBe(
      '3 April 2026',
    );
    expect(written('<<date due>>', ['03/04/2026'])).toBe('INVALID: ambiguous date');
  });

  it.each([
    ['1200', '1,200.00'],
    ['1,200.5', '1,200.50'],
    ['KES 1200', '1,200.00'],
    ['0.8', '0.80'],
    ['TZS 1200', 'INVALID: not an amount'],
    ['1.200,00', 'INVALID: not an amount'],
    ['-1200', '-1,200.00'],
    ['-1,200.50', '-1,200.50'],
    ['KES -1200', '-1,200.00'],
    ['-KES 1,200', '-1,200.00'],
    ['KES-1,200', '-1,200.00'],
    ['\u22121200', '-1,200.00'],
    ['- 350.5', '-350.50'],
    ['(1,200.00)', '-1,200.00'],
    ['KES (1,200)', '-1,200.00'],
    ['(KES 1,200)', '-1,200.00'],
    ['1200-', '-1,200.00'],
    ['-0', '0.00'],
    ['-1.000', 'INVALID: not an amount'],
    ['--5', 'INVALID: not an amount'],
    ['(-5)', 'INVALID: not an amount'],
    ['5-10', 'INVALID: not an amount'],
    ['-', 'INVALID: not an amount'],
    ['TZS -5', 'INVALID: not an amount'],
  ])('<<money balance>> of %j is %s', (cell, expected) => {
    expect(written('<<money balance>>', ['', cell])).toBe(expected);
  });

  it('reject a row only where the text uses the cell, and never quote it', () => {
    expect(written('{{#if balance}}due <<date due>>{{else}}ok{{/if}}', ['nonsense', ''])).toBe('ok');
    const rendered = compile('<<date due>>', { header, words }).render(['0712345678', 'nonsense 0712345678']);
    expect(rendered).toEqual({
      ok: false,
      reason: 'not a date',
      detail: 'the cell of "due": write it as 2026-11-27',
    });
  });

  it('a wrong form and an unknown field are refused at their place, and a column of that name goes first', () => {
    expect(refusal('Hi\n<<date due "dx">>', { header, words })).toMatchObject({
      message: 'This is no form of a date',
      where: 'promo.txt:2:1',
    });
    expect(refusal('<<money balanc>>', { header, words })).toMatchObject({ where: 'promo.txt:1:1' });
    expect(text('<<money box>>', ['0712345678', 'x'], { header: ['Phone', 'money box'] })).toBe('x');
  });
});

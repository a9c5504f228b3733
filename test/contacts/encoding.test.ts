import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { refuseInvalidUtf8, refuseZeroBytes, Utf16ToUtf8 } from '../../src/contacts/encoding.ts';

const PLACE = { path: 'x.csv', line: 7, column: 1 };

/** The same bytes in pieces of so many. */
function cut(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
}

test('UTF-16 comes out the same wherever it is cut, within a pair as well', () => {
  const letter = fc.constantFrom('a', '\n', 'é', '\ud7ff', '\ue000', '\u{10000}', '\u{10ffff}', '😀');
  const texts = fc.array(letter, { maxLength: 12 }).map((all) => all.join(''));
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 7 }), (text, size) => {
      const reader = new Utf16ToUtf8('x.csv');
      const read = cut(Buffer.from(text, 'utf16le'), size).map((piece) => reader.push(piece));
      reader.end();
      expect(Buffer.concat(read).toString()).toBe(text);
    }),
  );
});

test('half of a pair is refused at its place, in whatever pieces it comes', () => {
  for (const broken of ['mobile\n0712\ud83dx', 'mobile\n0712\udc00x'])
    for (const size of [1, 3, 4, 18, 100]) {
      const reader = new Utf16ToUtf8('x.csv');
      const read = () => {
        for (const piece of cut(Buffer.from(broken, 'utf16le'), size)) reader.push(piece);
      };
      expect(read).toThrow(expect.objectContaining({ code: 'contacts_invalid', where: 'x.csv:2:5' }));
    }
});

test('UTF-16 that ends within a character or a pair is refused', () => {
  for (const missing of [1, 2, 3]) {
    const reader = new Utf16ToUtf8('x.csv');
    reader.push(Buffer.from('ab😀', 'utf16le').subarray(0, -missing));
    expect(() => reader.end()).toThrow(expect.objectContaining({ where: 'x.csv:1:3' }));
  }
});

test.each(['\n', '\r\n', '\r'])(
  'a wrong byte is told by its line and column, with lines that end in %j',
  (newline) => {
    const before = `mobile,name${newline}0712345678,Ann${newline}0722345678,Zo`;
    const at = (wrong: number) => Buffer.from([...Buffer.from(before), wrong, 0x0a]);
    const where = 'x.csv:9:14';
    expect(() => refuseInvalidUtf8(at(0xeb), PLACE)).toThrow(expect.objectContaining({ where }));
    expect(() => refuseZeroBytes(at(0), PLACE)).toThrow(expect.objectContaining({ where }));
  },
);

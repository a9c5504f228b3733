import { expect, test } from 'vitest';
import { refuseInvalidUtf8, refuseZeroBytes } from '../../src/contacts/encoding.ts';

const PLACE = { path: 'x.csv', line: 7, column: 1 };

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

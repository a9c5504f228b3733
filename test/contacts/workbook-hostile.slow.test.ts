import { expect, test } from 'vitest';
import { convert, MEMORY_MAX_MB } from './converter.ts';
import { repeated, SHEET_BEGIN, SHEET_END, workbookOf } from './zip.ts';

test('a workbook with a part of more than 2 GB is refused in bounded memory', () => {
  const sheet = repeated(SHEET_BEGIN, ' '.repeat(8 * 1024 * 1024), { times: 257, after: SHEET_END });
  const { answer, peakMb } = convert(workbookOf({ sheet }));
  expect(answer).toEqual({ problem: 'one of its parts has more than 2 GB when it is unpacked' });
  expect(peakMb).toBeLessThan(MEMORY_MAX_MB);
});

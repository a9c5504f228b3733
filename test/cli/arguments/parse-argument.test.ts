import { expect, test } from 'vitest';
import { senderFlag } from '../../../src/cli/arguments/parse-argument.ts';

test('a sender that is typed is one that a job file would take', () => {
  expect(senderFlag(undefined)).toBeNull();
  expect(senderFlag(' DUKA ')).toBe('DUKA');
  for (const sender of ['', '  ', 'two\nlines', 'A NAME OF MORE THAN TWENTY LETTERS'])
    expect(() => senderFlag(sender), sender).toThrow(
      expect.objectContaining({ code: 'usage', where: '--sender' }),
    );
});

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TumaError } from '../../src/domain/errors.ts';
import { between, errorsTable } from '../support/docs-tables.ts';

it('docs/errors.md lists exactly the codes of the code', () => {
  const text = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  expect(between(text, 'errors')).toBe(errorsTable());
});

it('an error carries the exit code of its code, and null for what it does not know', () => {
  const error = new TumaError('credentials', { message: 'refused' });
  expect(error).toMatchObject({ exitCode: 4, hint: null, where: null });
});

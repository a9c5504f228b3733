import { expect, test } from 'vitest';
import { API_CODES } from '../../src/web/api/problem.ts';
import { between } from '../support/docs-tables.ts';
import { readPage, tableRows } from '../support/markdown.ts';

interface Operation {
  summary: string;
  description: string;
}

const page = readPage('docs/api.md');

test('every address of the API is in the table, with its role', () => {
  const { paths } = JSON.parse(readPage('docs/openapi.json')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, description }]) => {
      const role = /Needs the role (\w+)\.$/.exec(description)?.[1] ?? 'everybody';
      return [method.toUpperCase(), path, role, summary.replaceAll('`', '')];
    }),
  );
  expect(tableRows(between(page, 'addresses'))).toEqual(rows);
});

test('every code of the API is in the table', () => {
  const rows = Object.entries(API_CODES).map(([code, { status, means }]) => [
    code,
    String(status),
    means.replaceAll('`', ''),
  ]);
  expect(tableRows(between(page, 'api codes'))).toEqual(rows);
});

test('the client has at most 30 lines', () => {
  const [, code = ''] = /```js\n(.*?)```/s.exec(between(page, 'client')) ?? [];
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(30);
  expect(code).toContain('/contacts');
});

import { expect, test } from 'vitest';
import { between } from '../support/docs-tables.ts';
import { readPage } from '../support/markdown.ts';
import { startProcess } from '../support/processes.ts';
import { contacts, openPlace } from './harness.ts';

/* The client of docs/api.md, as somebody copies it, against the program and a sandbox. */

const PAGES = /pages +(http:\/\/[\d.]+:\d+)/;

const at = openPlace();

test('the client of the page launches a campaign, once, and tells what came of it', async () => {
  const place = at();
  const served = place.start(['serve']);
  await served.printed(PAGES);
  const [, url = ''] = PAGES.exec(served.stdout() + served.stderr()) ?? [];
  const { token } = (await place.json(['tokens', 'add', 'till', '--role', 'operator'])) as unknown as {
    token: string;
  };
  const [, code = ''] = /```js\n(.*?)```/s.exec(between(readPage('docs/api.md'), 'client')) ?? [];
  place.write('client.mjs', code);
  place.write('people.csv', contacts(5));
  const env = { ...place.env, TUMA_URL: url, TUMA_TOKEN: token };
  const client = () =>
    startProcess(process.execPath, ['client.mjs', 'people.csv'], { cwd: place.directory, env });
  const first = client();
  expect((await first.exited).code, first.stderr()).toBe(0);
  expect(first.stdout()).toMatch(/^\w+: 5 sent for KES 4\.00\n$/);
  const again = client();
  expect((await again.exited).code, again.stderr()).toBe(0);
  expect(again.stdout()).toBe(first.stdout());
  expect(place.campaigns().map(({ name }) => name)).toEqual(['ready']);
  expect(place.sandbox.stats().accepted).toBe(5);
  await served.stop();
});

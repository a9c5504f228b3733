import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { contacts, jobFile, openPlace } from './harness.ts';

const place = openPlace({});

test('pause answers when nothing more leaves, also of what was claimed ahead', async () => {
  place().write('many.csv', contacts(200));
  const job = jobFile({ name: 'many' }).replace('contacts.csv', 'many.csv');
  place().write('many.yaml', `${job}rate: 20/s\n`);
  const serve = place().start(['serve']);
  await serve.printed(/serving/);
  await place().json(['launch', 'many.yaml', '--yes']);
  await waitFor(() => place().sandbox.stats().accepted >= 5, { what: 'the first messages' });
  const paused = await place().json(['pause', 'many']);
  const { accepted } = place().sandbox.stats();
  expect(paused).toMatchObject({ changed: true, sending: 0, campaign: { state: 'paused' } });
  // An orderly end waits for all that was on its way.
  await serve.stop();
  expect(place().sandbox.stats().accepted).toBe(accepted);
  const { messages } = await place().json(['report', 'many']);
  expect(messages).toMatchObject({ sent: accepted, queued: 200 - accepted, sending: 0, uncertain: 0 });
});

import { expect, test } from 'vitest';
import { LedgerStory } from '../../support/ledger-story.ts';

test('the network of a number is that of its last message, and null where no answer named one', async () => {
  const story = await LedgerStory.begin();
  const [known, moved] = ['254711000001', '254711000002'];
  const [unnamed, never] = ['254711000003', '254711000004'];
  const rows = [known, moved, unnamed].map((mobile) => ({ mobile }));
  const first = await story.launch({ id: 'a-1', name: 'a', rows });
  await story.claim();
  await story.record(first, {
    1: { to: 'sent', network: '1' },
    2: { to: 'sent', network: '1' },
    3: { to: 'sent', network: null },
  });
  story.now += 60_000;
  const second = await story.launch({ id: 'b-1', name: 'b', contacts: 'd', rows: [{ mobile: moved }] });
  await story.claim();
  await story.record(second, { 1: { to: 'sent', network: '2' } });
  expect(await story.ledger.networksOf([never, moved, known, unnamed])).toEqual([null, '2', '1', null]);
});

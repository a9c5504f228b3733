import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { openEngine } from './engine.ts';
import { ScriptedProvider } from './scripted-provider.ts';

describe('while a price is learned', () => {
  it('batches that wait for the first answers do not wake each other: claims stay few', async () => {
    const engine = await openEngine();
    await engine.launch(60, { batchSize: 20 });
    const answers = Promise.withResolvers<'accept'>();
    const provider = new ScriptedProvider({ script: () => answers.promise });
    let claims = 0;
    const ledger = { ...engine.ledger };
    engine.ledger.claim = (request) => {
      claims += 1;
      return ledger.claim(request);
    };
    await engine.start(provider, { prices: null });
    await waitFor(() => provider.inFlight === 10, { what: 'ten messages to learn from' });
    const [before, from] = [claims, performance.now()];
    // Nothing is to happen: there is no condition to wait for.
    await wait(400);
    // Three batches, each every 200 ms at most.
    expect(claims - before).toBeLessThanOrEqual(3 * (2 + (performance.now() - from) / 200));
    answers.resolve('accept');
  });
});

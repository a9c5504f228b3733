import { describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { openEngine } from './engine.ts';
import { ScriptedProvider } from './scripted-provider.ts';

describe('trouble with one thing [I14]', () => {
  it('a call of the provider that throws makes its message uncertain and holds up none of its neighbours', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(100);
    const provider = new ScriptedProvider();
    const send = provider.send.bind(provider);
    let calls = 0;
    provider.send = async (request) => {
      calls += 1;
      if (calls === 7) throw new Error('no such answer was thought of');
      return send(request);
    };
    const worker = await engine.start(provider);
    const { messages } = await engine.until(campaign, 'finished');
    expect([messages.sent, messages.uncertain]).toEqual([99, 1]);
    expect([provider.acceptedCount, provider.doubles, worker.sending.dispatcher.inFlight]).toEqual([
      99, 0, 0,
    ]);
    expect(await engine.reader.violations(null)).toEqual([]);
  });

  const PARTS = ['dueSchedules', 'applyUploads', 'startDue', 'watchCanaries'] as const;
  it.each(PARTS)(
    'a sweep whose %s fails offers the due batches nevertheless, and does all of its other parts',
    async (operation) => {
      const engine = await openEngine();
      const { ledger } = engine;
      const asked = new Set<string>();
      for (const part of PARTS) {
        const own = ledger[part].bind(ledger) as (now: number) => Promise<never>;
        ledger[part] = async (now: number) => {
          asked.add(part);
          if (part === operation) throw new Error('a row that nobody can read');
          return own(now);
        };
      }
      const campaign = await engine.launch(20);
      const provider = new ScriptedProvider();
      await engine.start(provider);
      await engine.until(campaign, 'finished');
      expect([provider.acceptedCount, provider.doubles]).toEqual([20, 0]);
      await waitFor(() => asked.size === PARTS.length, { what: 'the other parts' });
    },
  );
});

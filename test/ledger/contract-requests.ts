import { expect, it } from 'vitest';
import type { NewRequest } from '../../src/ledger/requests.ts';
import { START, type World } from './contract-world.ts';

const DAY_MS = 86_400_000;

/** A request with a key is done once, however often it comes. */
export function requestContract(world: () => World): void {
  const request = (changed: Partial<NewRequest> = {}): NewRequest => ({
    principal: 'program till',
    key: 'k-1',
    digest: 'd-1',
    process: 'run-1',
    now: START,
    forgetBefore: START - DAY_MS,
    ...changed,
  });
  const begin = (changed: Partial<NewRequest> = {}) => world().ledger.beginRequest(request(changed));

  it('a key begins once: a repeat is under way, another body is another request, another principal has keys of its own', async () => {
    expect(await begin()).toEqual({ begun: 'now' });
    expect(await begin()).toEqual({ begun: 'running' });
    expect(await begin({ digest: 'd-2' })).toEqual({ begun: 'other' });
    expect(await begin({ principal: 'program crm' })).toEqual({ begun: 'now' });
  });

  it('an answer is kept for a repeat, also of another run of the server', async () => {
    await begin();
    const answer = '{"changed":true}';
    await world().ledger.answerRequest({ ...request(), status: 200, answer, campaign: null });
    expect(await begin({ process: 'run-2' })).toEqual({ begun: 'answered', status: 200, answer });
    expect(await begin({ digest: 'd-2' })).toEqual({ begun: 'other' });
  });

  it('what a killed server left is told to one caller, with what it was about', async () => {
    await begin();
    await world().ledger.bindRequest({ ...request(), preparation: 'p-1' });
    expect(await begin({ process: 'run-2' })).toEqual({ begun: 'left', preparation: 'p-1' });
    expect(await begin({ process: 'run-2' })).toEqual({ begun: 'running' });
    await world().ledger.leaveRequest(request());
    expect(await begin({ process: 'run-2' })).toEqual({ begun: 'left', preparation: 'p-1' });
    await world().ledger.forgetRequest(request());
    expect(await begin()).toEqual({ begun: 'now' });
  });

  it('a key is kept a day, and that of a launch for good', async () => {
    await begin();
    await begin({ key: 'launch' });
    const launched = { status: 201, answer: '{}', campaign: 'promo-1' };
    await world().ledger.answerRequest({ ...request({ key: 'launch' }), ...launched });
    const later = { now: START + DAY_MS + 1, forgetBefore: START + 1 };
    expect(await begin(later)).toEqual({ begun: 'now' });
    expect(await begin({ ...later, key: 'launch' })).toMatchObject({ begun: 'answered', status: 201 });
  });
}

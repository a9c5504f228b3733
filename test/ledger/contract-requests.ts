import { expect, it } from 'vitest';
import type { NewRequest } from '../../src/ledger/contracts/requests.ts';
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
    await world().ledger.answerRequest({ ...request(), status: 200, answer });
    expect(await begin({ process: 'run-2' })).toEqual({ begun: 'answered', status: 200, answer });
    expect(await begin({ digest: 'd-2' })).toEqual({ begun: 'other' });
  });

  it('what a killed server left, or a failure, has no known end; what was not done may begin again', async () => {
    await begin();
    expect(await begin({ process: 'run-2' })).toEqual({ begun: 'left' });
    await world().ledger.leaveRequest(request());
    expect(await begin()).toEqual({ begun: 'left' });
    await world().ledger.forgetRequest(request());
    expect(await begin()).toEqual({ begun: 'now' });
  });

  it('a key is kept as long as it was asked for', async () => {
    await begin();
    const later = { now: START + DAY_MS, process: 'run-2' };
    expect(await begin({ ...later, forgetBefore: START })).toEqual({ begun: 'left' });
    expect(await begin({ ...later, forgetBefore: START + 1 })).toEqual({ begun: 'now' });
  });
}

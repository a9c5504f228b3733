import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openConnections } from '../../../src/provider/http/http-connections.ts';
import type { Reply } from '../../../src/provider/send/exchange.ts';
import { answer, startRawServer, type RawServer, type ReadRequest } from '../raw-server.ts';
import type { Socket } from 'node:net';
import { fuzzRuns } from '../../support/fuzz-runs.ts';

/* Figure 13: a message that Tuma calls not sent was never seen by the server, and none is seen twice. */

const BEHAVIOURS = ['ok', 'ok', 'slow', 'hang', 'reset', 'fin', 'half', 'garbage', 'close', 'stray'] as const;
type Behaviour = (typeof BEHAVIOURS)[number];

/** One message of a schedule. */
interface Step {
  behaviour: Behaviour;
  /** When it is posted, in ms from the start. */
  afterMs: number;
}

interface Schedule {
  connections: number;
  deadlineMs: number;
  /** The server resets every so many-th connection as it opens; 0 for none. */
  resetEach: number;
  /** When the whole line is destroyed, or never. */
  destroyAfterMs: number | null;
  steps: Step[];
}

const schedules: fc.Arbitrary<Schedule> = fc.record({
  connections: fc.integer({ min: 1, max: 4 }),
  deadlineMs: fc.integer({ min: 2, max: 25 }),
  resetEach: fc.constantFrom(0, 0, 2, 3),
  destroyAfterMs: fc.option(fc.integer({ min: 0, max: 25 })),
  steps: fc.array(
    fc.record({ behaviour: fc.constantFrom(...BEHAVIOURS), afterMs: fc.integer({ min: 0, max: 20 }) }),
    { minLength: 1, maxLength: 24 },
  ),
});

const RUNS = fuzzRuns(1_000);

/** Of these each end is sure, however busy the machine is: an answer, no answer, and a turn that never came. */
const ALONE = { connections: 1, resetEach: 0, destroyAfterMs: null };
const SURE: Schedule[] = [
  { ...ALONE, deadlineMs: 60_000, steps: [{ behaviour: 'ok', afterMs: 0 }] },
  {
    ...ALONE,
    deadlineMs: 500,
    steps: [
      { behaviour: 'hang', afterMs: 0 },
      { behaviour: 'ok', afterMs: 0 },
    ],
  },
];

test(`not started means that the server saw nothing of it, in ${RUNS} random schedules`, async () => {
  const seen = { started: 0, notStarted: 0, answered: 0 };
  await fc.assert(
    fc.asyncProperty(schedules, async (schedule) => {
      const { replies, server } = await run(schedule);
      for (const [at, reply] of replies.entries()) {
        const times = server.begun.filter((path) => path === pathOf(schedule, at)).length;
        expect(times).toBeLessThanOrEqual(reply.started ? 1 : 0);
        if (reply.error === null) expect(times).toBe(1);
        seen[reply.started ? 'started' : 'notStarted'] += 1;
        if (reply.error === null) seen.answered += 1;
      }
    }),
    { numRuns: RUNS, endOnFailure: true, examples: SURE.map((schedule) => [schedule]) },
  );
  // The schedules are worth something only when all kinds of ends occur.
  expect(Math.min(seen.started, seen.notStarted, seen.answered)).toBeGreaterThan(0);
});

/** As the reply stood when it was given: what becomes of the marker later is of no use to anybody. */
type Given = Pick<Reply, 'started' | 'error'>;

async function run(schedule: Schedule): Promise<{ replies: Given[]; server: RawServer }> {
  let connections = 0;
  await using server = await startRawServer({
    onConnect: (socket) => {
      connections += 1;
      if (schedule.resetEach > 0 && connections % schedule.resetEach === 0) socket.resetAndDestroy();
    },
    onRequest: behave,
  });
  const { connections: most, deadlineMs } = schedule;
  const line = openConnections({ origin: server.url, connections: most, deadlineMs });
  const destroyed =
    schedule.destroyAfterMs === null ? null : after(schedule.destroyAfterMs, () => line.destroy());
  const replies = await Promise.all(
    schedule.steps.map(async (step, at): Promise<Given> => {
      const { started, error } = await after(step.afterMs, () => line.post(pathOf(schedule, at), '{"a":1}'));
      return { started, error };
    }),
  );
  await destroyed;
  await line.destroy();
  // Whatever was still on its way to the server is read before the count.
  await after(1, async () => {});
  return { replies, server };
}

function pathOf(schedule: Schedule, at: number): string {
  return `/${at}/${schedule.steps[at]?.behaviour}`;
}

async function after<Value>(ms: number, action: () => Promise<Value>): Promise<Value> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return action();
}

const whole = answer(200, { responsecode: '200' });

const DOES: Record<Behaviour, (socket: Socket) => void> = {
  ok: (socket) => socket.write(whole),
  slow: (socket) => void setTimeout(() => socket.write(whole), 8),
  hang: () => {},
  reset: (socket) => socket.resetAndDestroy(),
  fin: (socket) => socket.end(),
  half: (socket) => socket.end(whole.slice(0, -5)),
  garbage: (socket) => socket.write('what?\r\n\r\n'),
  close: (socket) => socket.end(whole),
  stray: (socket) => socket.write(whole + whole),
};

function behave(socket: Socket, request: ReadRequest): void {
  const [, , behaviour = ''] = request.path.split('/');
  // A process of another test may look here for a server of its own that had this port: it is no part of the schedule.
  if (!socket.destroyed && behaviour in DOES) DOES[behaviour as Behaviour](socket);
}

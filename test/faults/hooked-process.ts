import { subscribe } from 'node:diagnostics_channel';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/campaign/env.ts';
import type { OpenServices, Services } from '../../src/runtime/contracts.ts';
import { endProcess, processHost } from '../../src/cli/terminal/process-host.ts';
import { run } from '../../src/cli/run.ts';
import { readConfig } from '../../src/config/config.ts';
import { openServices } from '../../src/runtime/services.ts';
import { systemClock } from '../../src/system/clock.ts';
import type { FastTime, Hook, ShiftedTime } from './hooks.ts';
import { shiftedClock } from './shifted-clock.ts';

/*
 * The command line with something happening at a named point: `node hooked-process.ts HOOK-AS-JSON launch …`. The point
 * is a call of the ledger's or the provider's contract, so the product needs no code for it.
 */

const [hookText = '', ...argv] = process.argv.slice(2);
const given = JSON.parse(hookText) as Hook | FastTime | ShiftedTime;
const hook: Hook = 'at' in given ? given : { at: '', when: 'before', nth: 0, does: 'wait' };
let calls = 0;
let counts = hook.from === undefined;

await endProcess(
  await run({
    argv,
    ...processHost(),
    loadServices: async () => openHooked,
    loadConfig: async () => readConfig,
  }),
);

async function openHooked(...settings: Parameters<OpenServices>): Promise<Services> {
  const real = await openServices(...settings);
  if (hook.at.startsWith('undici:')) subscribe(hook.at, () => reached());
  const hooked: Services = {
    ...real,
    clock: clockOf(given, real.clock),
    ledger: async () => watched(await real.ledger()),
    provider: async () => watched(await real.provider()),
    // The roles ask these services, and not the real ones, for ledger and provider.
    startRoles: async (options) => (await import('../../src/runtime/roles.ts')).startRoles(hooked, options),
  };
  return hooked;
}

function clockOf(asked: typeof given, real: Clock): Clock {
  if ('clockSpeed' in asked) return fastClock(asked.clockSpeed);
  return asked.clockFile === undefined ? real : shiftedClock(asked.clockFile);
}

/** The same object, but for the method at which something happens. */
function watched<Thing extends object>(thing: Thing): Thing {
  return new Proxy(thing, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as (...args: unknown[]) => unknown;
      if (name === hook.from) counts = true;
      if (name !== hook.at) return method;
      return async (...args: unknown[]) => {
        if (!isMeant(args)) return method(...args);
        const nth = ++calls;
        if (nth !== hook.nth) return method(...args);
        return act(() => method(...args));
      };
    },
  });
}

function isMeant([request]: unknown[]): boolean {
  const { holding, notBy } = hook;
  if (notBy !== undefined && isBy(request, notBy)) return false;
  return holding === undefined || JSON.stringify(request).includes(holding);
}

function isBy(request: unknown, whom: string): boolean {
  return typeof request === 'object' && request !== null && 'by' in request && request.by === whom;
}

async function act(call: () => unknown): Promise<unknown> {
  if (hook.when === 'before') {
    // What this turn of the event loop has to write is written: a verdict is noted at its end.
    await new Promise((resolve) => setImmediate(resolve));
    await happen();
  }
  const answer = call();
  if (hook.when === 'during') {
    block((hook.delay ?? 0) / 1_000);
    await happen();
  }
  const settled = await answer;
  if (hook.when === 'after') await happen();
  return settled;
}

/** A diagnostics channel was written to. */
function reached(): void {
  if (!counts) return;
  calls += 1;
  if (calls === hook.nth) void happen();
}

async function happen(): Promise<void> {
  switch (hook.does) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return;
    case 'throw':
      setImmediate(() => {
        throw new Error('thrown on purpose');
      });
      return;
    case 'reject':
      void Promise.reject(new Error('rejected on purpose'));
      return;
    case 'exhaust':
      return exhaust();
    case 'block':
      return block(hook.delay ?? 0);
    case 'hoard':
      return hoard(hook.delay ?? 0);
    case 'wait':
      writeFileSync(`${hook.file}.${process.pid}`, '');
      while (!existsSync(hook.file ?? '')) await sleep(2);
      return;
    default:
      hook.does satisfies never;
  }
}

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

function exhaust(): never {
  const hoard: unknown[] = [];
  for (;;) hoard.push(Array.from({ length: 100_000 }, () => ({})));
}

function hoard(ms: number): void {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch {
    setTimeout(() => taken.forEach((descriptor) => closeSync(descriptor)), ms);
  }
}

/** A clock on which time passes `speed` times as fast as outside. */
function fastClock(speed: number): Clock {
  const start = { wall: systemClock.now(), monotonic: systemClock.monotonic() };
  const passed = () => (systemClock.monotonic() - start.monotonic) * speed;
  return {
    now: () => Math.floor(start.wall + passed()),
    monotonic: () => start.monotonic + passed(),
    sleep: (ms, signal) => systemClock.sleep(ms / speed, signal),
  };
}

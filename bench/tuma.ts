import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Bench } from './bench.ts';
import { Program, startYardstick } from './program.ts';
import type { SinkCounts, SinkOptions } from './sink.ts';

const TUMA = fileURLToPath(new URL('../bin/tuma', import.meta.url));
export const WEBHOOK_TOKEN = 'bench-bench-bench-bench-1';

/** A sink that runs. */
export interface Sink {
  origin: string;
  counts(): Promise<SinkCounts>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a sink that answers every message at once, or as the options say. */
export async function startSink(options: Partial<SinkOptions> = {}): Promise<Sink> {
  const program = startYardstick('sink.ts', options);
  const { port } = await program.told<{ port: number }>();
  return {
    origin: `http://127.0.0.1:${port}`,
    counts: () => program.ask<SinkCounts>(),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

/** Messages a second between the first and the last that arrived. */
export function arrivalRate({ messages, firstAt, lastAt }: SinkCounts): number {
  if (firstAt === null || lastAt === null || messages < 2) throw new Error('the sink saw no two messages');
  return ((messages - 1) * 1_000) / (lastAt - firstAt);
}

/** The settings of every Tuma process of a bench: only what a user must set, and free ports. */
export function settingsFor(home: string, messagingUrl: string): Record<string, string> {
  return {
    TUMA_HOME: home,
    TUMA_MESSAGING_URL: messagingUrl,
    TUMA_API_KEY: 'bench-key',
    TUMA_API_SECRET: 'bench-secret',
    TUMA_WEBHOOK_TOKEN: WEBHOOK_TOKEN,
    TUMA_PORT: '0',
    TUMA_DASHBOARD_PORT: '0',
  };
}

/** The flags that bin/tuma gives to Node, for parts of Tuma that are measured outside of it. */
export function nodeFlags(): string[] {
  const flags = /^set -- (--.*) "\$@"/m.exec(readFileSync(TUMA, 'utf8'))?.[1];
  if (flags === undefined) throw new Error('bin/tuma no longer says which flags it gives to Node');
  return flags.split(' ');
}

/** Runs `bin/tuma`, as a user would, with these settings and no others. */
export function startTuma(bench: Bench, args: string[], settings: Record<string, string>): Program {
  const { PATH, HOME } = process.env;
  const profiling =
    bench.profiles === null ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${bench.profiles}` };
  return new Program([TUMA, ...args], {
    env: { PATH, HOME, ...profiling, ...settings },
    cwd: bench.workspace.path,
    talks: false,
  });
}

/** What a launch that was seen through says in the end. */
export interface LaunchReport {
  sent: number;
  uncertain: number;
  peakBytes: number | null;
  processorMs: number | null;
}

interface Launch {
  home: string;
  origin: string;
  contacts: number;
  /** Messages a second (`TUMA_RATE`); null: the default. */
  rate: string | null;
  wait: boolean;
  /** More settings than those of every bench. */
  settings?: Record<string, string>;
}

/** `tuma launch JOB --yes --new-ledger --json`, seen through (`wait`) or only planned and activated. Throws when it fails. */
export async function launch(bench: Bench, options: Launch): Promise<LaunchReport> {
  const { home, origin, contacts, rate, wait } = options;
  const waiting = wait ? ['--wait', '--wait-reports', '0s'] : [];
  const settings = {
    ...settingsFor(home, origin),
    ...(rate === null ? {} : { TUMA_RATE: rate }),
    ...options.settings,
  };
  const args = ['launch', bench.workspace.job(contacts), '--yes', '--new-ledger', '--json', ...waiting];
  await using tuma = startTuma(bench, args, settings);
  const code = await tuma.ended();
  // 3: settled, with uncertain messages; the caller knows how many there must be.
  if (code !== 0 && code !== 3) throw tuma.failure(`ended with exit code ${code}`);
  const { messages } = JSON.parse(tuma.stdout) as { messages: { sent: number; uncertain: number } };
  const { peakBytes, processorMs } = tuma.watch;
  return { ...messages, peakBytes, processorMs };
}

import { join } from 'node:path';
import { jobText } from '../jobs/job-text.ts';
import { loadJobText } from '../jobs/load-job.ts';
import { launchTest, testFiles } from '../launch/test-launch.ts';
import { workersAlive } from '../operator/living-workers.ts';
import type { LookedAt } from './look-at-contacts.ts';
import { JOB_NAME } from './plan-order.ts';
import type { PrepareEnv } from './prepare-env.ts';
import type { PreparationActor } from './preparation.ts';

/** A test: the phones as they were typed, the line of a row (null: the longest message), and who asks. */
export interface TestOrder {
  to: readonly string[];
  line: number | null;
  /** What the person saw; null: nobody looked. */
  revision: number | null;
  actor: PreparationActor;
}

/** The campaign of the test, and what it sends. */
export interface TestSent {
  campaign: string;
  line: number;
  text: string;
  segments: number;
}

/** Sends one real message of a row to the person's own phones. Throws what the launch of a test throws. */
export async function testPreparation(
  prepare: PrepareEnv,
  { folder, contacts, job: keys }: LookedAt,
  { to, line, actor }: TestOrder,
): Promise<TestSent> {
  const { settings, copies, clock } = prepare;
  const source = jobText(keys, `./${contacts.file}`);
  const job = await loadJobText({ file: join(folder, JOB_NAME), source });
  const { currency, countries, optOutText } = settings;
  const place = { folder: copies, input: process.stdin };
  const at = new Date(clock.now()).toISOString().slice(0, 19);
  const asked = { job, contacts: join(folder, contacts.file), line, to, gsm: false, currency, countries };
  await using test = await testFiles({ ...asked, ...place, optOutText, at });
  const isWorkerAlive = async () => (await workersAlive(prepare)) > 0;
  const env = { ...prepare, provider: await prepare.provider(), isWorkerAlive };
  const ready = async () => undefined;
  const launch = { files: test.files, gsm: false, actor: actor.name, ready };
  const { id: campaign } = await launchTest(env, { ...launch, signal: new AbortController().signal });
  return { campaign, line: test.line, text: test.text, segments: test.segments };
}

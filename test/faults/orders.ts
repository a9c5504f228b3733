import { join } from 'node:path';
import { expect } from 'vitest';
import type { Stage } from './harness.ts';

/** Activates the stage's campaign, for whoever serves to send it. */
export async function launchFor(stage: Stage, flags: string[] = []): Promise<void> {
  expect(await stage.tuma(['launch', join(stage.directory, 'job.yaml'), '--yes', ...flags])).toMatchObject({
    code: 0,
  });
}

/** What Tuma says of the stage's campaign. */
export async function campaignState(stage: Stage): Promise<{ state: string; reason: string | null }> {
  const { document } = await stage.tuma(['report', 'faults']);
  return { state: document?.campaign.state ?? '', reason: document?.campaign.reason ?? null };
}

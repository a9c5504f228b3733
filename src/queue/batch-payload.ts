import { z } from 'zod';

const PAYLOAD_VERSION = 1;
const id = z.int().nonnegative();
const payloadSchema = z.strictObject({ v: z.literal(PAYLOAD_VERSION), batch: id, epoch: id });

/** Everything that Redis holds of a batch. */
export type BatchPayload = z.infer<typeof payloadSchema>;

/** The content of a job: ids only, because text, numbers and credentials stay in the ledger. */
export function batchPayload(batch: number, epoch: number): BatchPayload {
  return { v: PAYLOAD_VERSION, batch, epoch };
}

/** The job's id. BullMQ ignores an `add` of an id that is there; a colon is not allowed in one. */
export function batchJobId(batch: number, epoch: number): string {
  return `b-${batch}-${epoch}`;
}

/** Reads a job from Redis, where anybody may have written; null for a job that is not ours. */
export function readBatchJob(job: { id?: string | undefined; data: unknown }): BatchPayload | null {
  const parsed = payloadSchema.safeParse(job.data);
  if (!parsed.success) return null;
  const { batch, epoch } = parsed.data;
  return job.id === batchJobId(batch, epoch) ? parsed.data : null;
}

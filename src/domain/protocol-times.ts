/**
 * The times that the send protocol leans on. Their order is its safety: a claim expires before any answer can be late,
 * an answer is late before the lease ends, the lease ends before the reaper comes, and the reaper has been before a
 * person may send again (`TUMA_RESOLVE_AFTER`). Settings are held against them.
 */

/** A claimed message that was not dispatched in this time is put back, by the monotonic and by the wall clock. */
export const CLAIM_TTL_MS = 5_000;
/** How often a worker says that it is alive, and renews its leases by the clock of the time. */
export const HEARTBEAT_MS = 5_000;
/** Holding a lease for longer than this without a heartbeat means that the worker is dead. */
export const LEASE_MS = 60_000;
/** Added to the lease before a worker that cannot be proven dead is taken for dead. */
export const GRACE_MS = 30_000;
/** A campaign that was cut off while it was sending goes on by itself within this time; later it waits for a person. */
export const CUT_OFF_MS = 7_200_000;

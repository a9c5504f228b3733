/**
 * The times of the send protocol. Their order is its safety: a claim expires before any answer can be late,
 * an answer is late before the lease ends. The lease ends before the reaper comes, and the reaper comes
 * before a person may send again (`TUMA_RESOLVE_AFTER`). Settings are checked against them.
 */

/** A claimed message without a dispatch in this time is put back, by the monotonic and by the wall clock. */
export const CLAIM_TTL_MS = 5_000;
/** The interval of a worker's heartbeats, which renew its leases. */
export const HEARTBEAT_MS = 5_000;
/** A worker without a heartbeat for longer than this is taken for dead. */
export const LEASE_MS = 60_000;
/** The additional time before a worker without a proof of death is taken for dead. */
export const GRACE_MS = 30_000;
/** Heartbeats and launches further ahead come from a clock that was set back. Corrections of seconds are usual. */
export const CLOCK_AHEAD_MS = 60_000;
/**
 * The same of claims. A worker that slept asks with a time that others have passed by up to lease, grace and the reaper's
 * interval, before its lease is ended.
 */
export const CLAIM_AHEAD_MS = 120_000;
/** A campaign cut off while sending goes on by itself within this time; later it waits for a person. */
export const CUT_OFF_MS = 7_200_000;

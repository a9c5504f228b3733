/** The bounds of the collector, each with its unit. An honest 5,000 reports a second from one address fit into them. */
export interface CollectorLimits {
  /** Largest body accepted, bytes; beyond it 413. */
  bodyBytes: number;
  /** A request must be complete within this time; beyond it 408, at the next look: within 10 s at the latest. */
  requestTimeoutMs: number;
  /** Its headers must be complete within this time. */
  headersTimeoutMs: number;
  /** How often the two times above are checked. */
  checkConnectionsEveryMs: number;
  /** Open connections; further ones are closed at once. */
  connections: number;
  /** Webhooks that wait for the ledger at one time, and their bytes; beyond either 503. */
  waiting: number;
  waitingBytes: number;
  /** A webhook that is not durable after this time is answered 503; it may still become stored, a repeat is harmless. */
  storeDeadlineMs: number;
  /** `/health` says that the ledger cannot take webhooks when it has not shown within this time that it can. */
  healthDeadlineMs: number;
  /** Webhooks a second from one address, on average, and at once; beyond them 429. As many `/health`, counted apart. */
  perAddressRate: number;
  perAddressBurst: number;
  /** Webhooks a minute from all addresses together; beyond them 429. */
  perMinute: number;
  /** After this time `close` cuts the connections that are still busy. */
  closeWithinMs: number;
}

/** The limits of a collector that was given no others. */
export const DEFAULT_LIMITS: CollectorLimits = {
  bodyBytes: 65_536,
  requestTimeoutMs: 8_000,
  headersTimeoutMs: 5_000,
  checkConnectionsEveryMs: 1_000,
  connections: 4_096,
  waiting: 4_096,
  waitingBytes: 16 * 1_048_576,
  storeDeadlineMs: 5_000,
  healthDeadlineMs: 3_000,
  perAddressRate: 20_000,
  perAddressBurst: 40_000,
  perMinute: 1_200_000,
  closeWithinMs: 5_000,
};

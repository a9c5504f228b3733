/** Addresses remembered at one time; the one that was met first is forgotten first. */
const MAX_ADDRESSES = 10_000;

interface Bucket {
  tokens: number;
  /** Monotonic milliseconds. */
  at: number;
}

/** A token bucket for each address: so many a second on average, and so many at once. */
export class AddressQuota {
  readonly #rate: number;
  readonly #burst: number;
  #buckets = new Map<string, Bucket>();

  constructor(options: { perSecond: number; burst: number }) {
    this.#rate = options.perSecond;
    this.#burst = options.burst;
  }

  /** Takes one; false when the address has used up its share. `now`: monotonic milliseconds. */
  take(address: string, now: number): boolean {
    const bucket = this.#buckets.get(address) ?? this.#remember(address, now);
    const earned = ((now - bucket.at) / 1_000) * this.#rate;
    bucket.tokens = Math.min(this.#burst, bucket.tokens + earned);
    bucket.at = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  #remember(address: string, now: number): Bucket {
    if (this.#buckets.size >= MAX_ADDRESSES) this.#forgetOne();
    const bucket = { tokens: this.#burst, at: now };
    this.#buckets.set(address, bucket);
    return bucket;
  }

  /** A map keeps the order of insertion: the first was met first. */
  #forgetOne(): void {
    const [first] = this.#buckets.keys();
    if (first !== undefined) this.#buckets.delete(first);
  }
}

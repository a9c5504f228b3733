import { performance } from 'node:perf_hooks';
import type { FastifyRequest } from 'fastify';
import type { AddressList } from '../domain/numbers/address-list.ts';
import { AddressQuota } from './address-quota.ts';
import { clientAddress } from './client-address.ts';
import { NOWHERE } from './token-route.ts';
import type { CollectorLimits } from './limits.ts';
import type { RefusalLog } from './refusal-log.ts';

/** Why somebody is not let in. `foreign`: the address is right, and whoever asks is not among those who may. */
export type AccessRefusal = 'not_found' | 'foreign' | 'encoded' | 'too_many';

/** Whom the gate lets in. */
export interface AccessOptions {
  limits: CollectorLimits;
  refusals: RefusalLog;
  /** Null: whoever knows the token. */
  from?: AddressList | null;
  /** Whose word counts for where a request came from. */
  proxies?: AddressList | null;
}

/** All of them together, beside the one of each address. */
const EVERYBODY = 'everybody';
/** What a body is really packed with. Anything else is a mistake of the sender's, such as `UTF-8`: the body is plain. */
const PACKED = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'compress', 'x-compress']);
const LOGGED_CODING_CHARS = 40;

/** Decides who is heard, before a byte of a body is read. */
export class AccessCheck {
  readonly #options: AccessOptions;
  readonly #each: AddressQuota;
  readonly #all: AddressQuota;
  /** Of `/health`, which anybody may ask: a flood of that must not take the share of the webhooks. */
  readonly #health: AddressQuota;

  constructor(options: AccessOptions) {
    const { limits } = options;
    this.#options = options;
    const share = { perSecond: limits.perAddressRate, burst: limits.perAddressBurst };
    this.#each = new AddressQuota(share);
    this.#health = new AddressQuota(share);
    this.#all = new AddressQuota({ perSecond: limits.perMinute / 60, burst: limits.perMinute });
  }

  /** Null: it is heard. Notes the address that it came from. */
  refusalOf(request: FastifyRequest): AccessRefusal | null {
    if (request.raw.url === NOWHERE) return 'not_found';
    const { proxies = null, refusals } = this.#options;
    const client = clientAddress(request.raw, proxies);
    request.setDecorator('client', client);
    // Who asks whether it is well may come from anywhere.
    if (request.raw.url === '/health')
      return this.#health.take(client, performance.now()) ? null : 'too_many';
    const refusal = this.#refusalOfWebhook(request, client);
    if (refusal === null) return null;
    const coding = request.headers['content-encoding']?.slice(0, LOGGED_CODING_CHARS);
    refusals.note(refusal, refusal === 'encoded' ? { client, coding } : { client });
    return refusal;
  }

  #refusalOfWebhook(request: FastifyRequest, client: string): Exclude<AccessRefusal, 'not_found'> | null {
    const { from = null } = this.#options;
    if (from !== null && !from.has(client)) return 'foreign';
    if (isPacked(request.headers['content-encoding'])) return 'encoded';
    const now = performance.now();
    return this.#each.take(client, now) && this.#all.take(EVERYBODY, now) ? null : 'too_many';
  }
}

function isPacked(codings = ''): boolean {
  return codings.split(',').some((coding) => PACKED.has(coding.trim().toLowerCase()));
}

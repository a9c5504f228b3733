import { performance } from 'node:perf_hooks';
import type { FastifyRequest } from 'fastify';
import type { AddressList } from '../domain/address-list.ts';
import { AddressQuota } from './address-quota.ts';
import { clientAddress } from './client-address.ts';
import { NOWHERE } from './door.ts';
import type { CollectorLimits } from './limits.ts';
import type { RefusalLog } from './refusal-log.ts';

/** Why somebody is not let in. `foreign`: the address is right, and whoever asks is not among those who may. */
export type GateRefusal = 'not_found' | 'foreign' | 'encoded' | 'too_many';

/** Whom the gate lets in. */
export interface GateOptions {
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
export class Gate {
  readonly #options: GateOptions;
  readonly #each: AddressQuota;
  readonly #all: AddressQuota;

  constructor(options: GateOptions) {
    const { limits } = options;
    this.#options = options;
    this.#each = new AddressQuota({ perSecond: limits.perAddressRate, burst: limits.perAddressBurst });
    this.#all = new AddressQuota({ perSecond: limits.perMinute / 60, burst: limits.perMinute });
  }

  /** Null: it is heard. Notes the address that it came from. */
  refusalOf(request: FastifyRequest): GateRefusal | null {
    if (request.raw.url === NOWHERE) return 'not_found';
    const { proxies = null, refusals } = this.#options;
    const client = clientAddress(request.raw, proxies);
    request.setDecorator('client', client);
    const refusal = this.#refusalOfWebhook(request, client);
    if (refusal === null) return null;
    const coding = request.headers['content-encoding']?.slice(0, LOGGED_CODING_CHARS);
    refusals.note(refusal, refusal === 'encoded' ? { client, coding } : { client });
    return refusal;
  }

  #refusalOfWebhook(request: FastifyRequest, client: string): Exclude<GateRefusal, 'not_found'> | null {
    if (this.#isForeign(request, client)) return 'foreign';
    if (isPacked(request.headers['content-encoding'])) return 'encoded';
    const now = performance.now();
    return this.#each.take(client, now) && this.#all.take(EVERYBODY, now) ? null : 'too_many';
  }

  /** Who asks whether it is well may come from anywhere. */
  #isForeign(request: FastifyRequest, client: string): boolean {
    const { from = null } = this.#options;
    return from !== null && !from.has(client) && request.raw.url !== '/health';
  }
}

function isPacked(codings = ''): boolean {
  return codings.split(',').some((coding) => PACKED.has(coding.trim().toLowerCase()));
}

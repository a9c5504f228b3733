import { performance } from 'node:perf_hooks';
import type { FastifyRequest } from 'fastify';
import type { Log } from '../campaign/env.ts';
import type { AddressList } from '../domain/address-list.ts';
import { AddressQuota } from './address-quota.ts';
import { clientAddress } from './client-address.ts';
import { NOWHERE } from './door.ts';
import type { CollectorLimits } from './limits.ts';

/** Why somebody is not let in. `foreign`: the address is right, and whoever asks is not among those who may. */
export type GateRefusal = 'not_found' | 'foreign' | 'encoded' | 'too_many';

/** Whom the gate lets in. */
export interface GateOptions {
  limits: CollectorLimits;
  log: Log;
  /** Null: whoever knows the token. */
  from?: AddressList | null;
  /** Whose word counts for where a request came from. */
  proxies?: AddressList | null;
}

/** All of them together, beside the one of each address. */
const EVERYBODY = 'everybody';
const LOG_EVERY_MS = 10_000;

/** Decides who is heard, before a byte of a body is read. */
export class Gate {
  readonly #options: GateOptions;
  readonly #each: AddressQuota;
  readonly #all: AddressQuota;
  #toldAt = -Infinity;

  constructor(options: GateOptions) {
    const { limits } = options;
    this.#options = options;
    this.#each = new AddressQuota({ perSecond: limits.perAddressRate, burst: limits.perAddressBurst });
    this.#all = new AddressQuota({ perSecond: limits.perMinute / 60, burst: limits.perMinute });
  }

  /** Null: it is heard. Notes the address that it came from. */
  refusalOf(request: FastifyRequest): GateRefusal | null {
    if (request.raw.url === NOWHERE) return 'not_found';
    const client = clientAddress(request.raw, this.#options.proxies ?? null);
    request.setDecorator('client', client);
    if (this.#isForeign(request, client)) return 'foreign';
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') return 'encoded';
    const now = performance.now();
    return this.#each.take(client, now) && this.#all.take(EVERYBODY, now) ? null : 'too_many';
  }

  /** Who asks whether it is well may come from anywhere. */
  #isForeign(request: FastifyRequest, client: string): boolean {
    const { from = null, log } = this.#options;
    if (from === null || from.has(client) || request.raw.url === '/health') return false;
    const now = performance.now();
    if (now - this.#toldAt > LOG_EVERY_MS) {
      this.#toldAt = now;
      log.warn(
        { client },
        'somebody who knows the token posts from outside TUMA_WEBHOOK_FROM, and is refused',
      );
    }
    return true;
  }
}

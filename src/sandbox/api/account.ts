import { readAmount } from '../money.ts';
import { KENYAN_NETWORKS, networkFinder, type Network } from '../numbers.ts';
import { serialOfNumber } from './message-ids.ts';
import type { Settings } from '../options.ts';
import { countSegments } from '../segments.ts';

/** A network with its price a segment in millionths. */
export interface PricedNetwork extends Network {
  priceMicro: number;
}

/** What a message would cost, and on which network. */
export interface Quote {
  network: string;
  segments: number;
  costMicro: number;
}

/**
 * The one account: its credit, its prices and the serials of its messages. All money is integer millionths; the credit
 * is never below zero.
 */
export class Account {
  balanceMicro: number;
  chargedMicro = 0;
  /** Serial of the next message. */
  nextSerial: number;
  /** Serial of the last accepted message; null before the first. */
  lastSerial: number | null = null;
  readonly #settings: Settings;
  /** The network that owns a number, with its price; null: none of ours. */
  readonly networkOf: (mobile: string) => PricedNetwork | null;

  constructor(settings: Settings, start: { balanceMicro: number; serial: number }) {
    this.#settings = settings;
    this.balanceMicro = start.balanceMicro;
    this.nextSerial = start.serial;
    this.networkOf = networkFinder(KENYAN_NETWORKS.map((network) => priced(network, settings.prices)));
  }

  /** Whether these are the account's credentials (API document 5.1). */
  opens(apikey: unknown, apisecret: unknown): boolean {
    return apikey === this.#settings.apiKey && apisecret === this.#settings.apiSecret;
  }

  /** Prices a message to an international number; null: no network of ours reaches it. */
  quote(message: { mobile: string; text: string; shortcode: string }): Quote | null {
    const network = this.networkOf(message.mobile);
    if (network === null) return null;
    const segments = countSegments(message.text + this.#optOutTextOf(message.shortcode));
    return { network: network.id, segments, costMicro: segments * network.priceMicro };
  }

  /** Debits a cost. False, and nothing debited, when the credit does not cover it. */
  debit(costMicro: number): boolean {
    if (costMicro > this.balanceMicro) return false;
    this.balanceMicro -= costMicro;
    this.chargedMicro += costMicro;
    return true;
  }

  /** Gives the next message its serial; `numeric`: one whose id is a number. */
  takeSerial(numeric: boolean): number {
    const serial = numeric ? serialOfNumber(this.nextSerial) : this.nextSerial;
    this.noteSerial(serial);
    return serial;
  }

  /** Notes a serial that is in use, so that it is never given again. */
  noteSerial(serial: number): void {
    this.nextSerial = Math.max(this.nextSerial, serial + 1);
    this.lastSerial = serial;
  }

  /** Whether the service takes what this sender sends for promotional. */
  isPromotional(shortcode: string): boolean {
    const { promotionalSenders } = this.#settings;
    return promotionalSenders === 'all' || promotionalSenders.includes(shortcode);
  }

  #optOutTextOf(shortcode: string): string {
    return this.isPromotional(shortcode) ? this.#settings.optOutText : '';
  }
}

function priced(network: Network, prices: Record<string, string>): PricedNetwork {
  const priceMicro = readAmount(prices[network.id] ?? network.price);
  if (priceMicro === null) throw new Error(`The price of network ${network.id} cannot be read.`);
  return { ...network, priceMicro };
}

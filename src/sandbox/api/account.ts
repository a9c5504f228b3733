import { readAmount } from '../money.ts';
import { KENYAN_NETWORKS, networkFinder, type Network } from '../numbers.ts';
import { serialOfNumber } from './message-ids.ts';
import type { Settings } from '../options.ts';
import { countSegments } from '../segments.ts';

/** A network with its price a segment in millionths. */
export interface PricedNetwork extends Network {
  priceMicro: number;
}

/** The price of a message, with its network. */
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
  /** The network of a number, with its price; null: unknown network. */
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

  /** Prices a message to an international number; null: unknown network. */
  quote(message: { mobile: string; text: string; shortcode: string }): Quote | null {
    const network = this.networkOf(message.mobile);
    if (network === null) return null;
    const segments = countSegments(message.text + this.#optOutTextOf(message.shortcode));
    return { network: network.id, segments, costMicro: segments * network.priceMicro };
  }

  /** Debits a cost. Answers false, and debits nothing, when the credit is too low. */
  debit(costMicro: number): boolean {
    if (costMicro > this.balanceMicro) return false;
    this.balanceMicro -= costMicro;
    this.chargedMicro += costMicro;
    return true;
  }

  /** Gives the next message its serial; `numeric`: a serial with a numeric id. */
  takeSerial(numeric: boolean): number {
    const serial = numeric ? serialOfNumber(this.nextSerial) : this.nextSerial;
    this.noteSerial(serial);
    return serial;
  }

  /** Marks a serial as used. */
  noteSerial(serial: number): void {
    this.nextSerial = Math.max(this.nextSerial, serial + 1);
    this.lastSerial = serial;
  }

  /** Whether the messages of this sender are promotional. */
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

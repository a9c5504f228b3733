import { readAmount } from '../money.ts';
import { KENYAN_NETWORKS, networkFinder, type Network } from '../numbers.ts';
import { firstSerial } from './message-ids.ts';
import type { Settings } from '../options.ts';
import { countSegments } from '../segments.ts';
import type { Truth } from '../truth/truth.ts';

/** The messages of this sender get the opt-out text, and the account pays for it. */
const PROMOTIONAL_SENDER = 'DUKA';
const OPT_OUT_TEXT = ' STOP*456*9*5#';

/** A network with its price a segment in millionths. */
interface PricedNetwork extends Network {
  priceMicro: number;
}

/** The price of a message, with its network. */
export interface Quote {
  network: string;
  segments: number;
  costMicro: number;
}

/**
 * The one account: its credit, its prices and the serials of its messages. All money is integer millionths;
 * the credit is never below zero.
 */
export class Account {
  balanceMicro: number;
  chargedMicro: number;
  /** The id of the last accepted message; null before the first. */
  lastMessageId: string | null;
  #nextSerial: number;
  readonly #settings: Settings;
  /** The network of a number, with its price; null: unknown network. */
  readonly #networkOf: (mobile: string) => PricedNetwork | null;

  constructor(settings: Settings, past: Pick<Truth, 'balanceMicro' | 'chargedMicro' | 'last'>) {
    this.#settings = settings;
    this.balanceMicro = past.balanceMicro;
    this.chargedMicro = past.chargedMicro;
    this.lastMessageId = past.last?.messageid ?? null;
    this.#nextSerial = past.last === null ? firstSerial(Date.now()) : past.last.serial + 1;
    this.#networkOf = networkFinder(KENYAN_NETWORKS.map((network) => priced(network, settings.prices)));
  }

  /** Whether these are the account's credentials (API document 5.1). */
  opens(apikey: unknown, apisecret: unknown): boolean {
    return apikey === this.#settings.apiKey && apisecret === this.#settings.apiSecret;
  }

  /** Prices a message to an international number; null: unknown network. */
  quote(message: { mobile: string; text: string; shortcode: string }): Quote | null {
    const network = this.#networkOf(message.mobile);
    if (network === null) return null;
    const optOutText = this.isPromotional(message.shortcode) ? OPT_OUT_TEXT : '';
    const segments = countSegments(message.text + optOutText);
    return { network: network.id, segments, costMicro: segments * network.priceMicro };
  }

  /** Debits a cost. Returns false, and debits nothing, when the credit is too low. */
  debit(costMicro: number): boolean {
    if (costMicro > this.balanceMicro) return false;
    this.balanceMicro -= costMicro;
    this.chargedMicro += costMicro;
    return true;
  }

  takeSerial(): number {
    this.#nextSerial += 1;
    return this.#nextSerial - 1;
  }

  /** Whether the messages of this sender are promotional. */
  isPromotional(shortcode: string): boolean {
    return shortcode === PROMOTIONAL_SENDER;
  }
}

function priced(network: Network, prices: Record<string, string>): PricedNetwork {
  const priceMicro = readAmount(prices[network.id] ?? network.price);
  if (priceMicro === null) throw new Error(`The price of network ${network.id} cannot be read.`);
  return { ...network, priceMicro };
}

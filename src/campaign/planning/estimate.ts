import type { MoneyMicro } from '../../domain/money.ts';
import { atFullRate, jointRate } from '../../domain/pace/rate.ts';
import { type SendWindow, sendingHours, windowState } from '../../domain/time/window.ts';
import type { KnownPrice } from '../../ledger/contracts/records.ts';
import { type ConfiguredPrices, microPerSegment } from './price-book.ts';

/** The cost of a campaign: its segments at the lowest and at the highest known price. */
export interface CostEstimate {
  basis: 'configured' | 'learned' | 'unknown';
  /** Null when the price of a message is not known. */
  lowerMicro: MoneyMicro | null;
  upperMicro: MoneyMicro | null;
  /** The upper end at the highest price of all networks, which claims hold back; null with `upperMicro`. */
  heldMicro: MoneyMicro | null;
  /** Messages abroad without a price of their own, by country, and the cost of all other messages. */
  unpriced: { country: string; messages: number }[];
  othersMicro: { lowerMicro: MoneyMicro; upperMicro: MoneyMicro } | null;
}

/** Messages of one country and network, which have the same prices. */
export interface CostPart {
  country: string;
  /** Null: all networks of the country, without those that have a part of their own. */
  network: string | null;
  messages: number;
  segments: number;
  /** Null: no price is known. */
  lowerMicro: MoneyMicro | null;
  upperMicro: MoneyMicro | null;
}

/** The known prices. `abroad` holds prices per segment by country. */
export interface PlanPrices {
  home: string;
  configured: ConfiguredPrices;
  abroad: Readonly<Record<string, MoneyMicro>>;
  learned: KnownPrice[];
}

/** Messages and segments of a country, and of them by the last network of their numbers. */
interface OfCountry {
  messages: number;
  segments: number;
  networks?: ReadonlyMap<string, { messages: number; segments: number }>;
}
type Countries = ReadonlyMap<string, OfCountry>;

interface Range {
  lowerMicro: MoneyMicro;
  upperMicro: MoneyMicro;
}

/**
 * Estimates the cost by the messages and segments of each country. A configured price wins over a learned one. A
 * learned price counts by network where the number's last network is known. A country abroad needs a price of
 * its own. Without a price for each message the cost is unknown.
 */
export function estimateCost(countries: Countries, prices: PlanPrices): CostEstimate {
  const { home } = prices;
  const basis = basisOf(countries, prices);
  if (basis === 'unknown') return { basis, ...UNKNOWN, unpriced: [], othersMicro: null };
  const parts = costParts(countries, prices);
  const sum = { lowerMicro: 0, upperMicro: 0 };
  for (const part of parts) addRange(sum, part);
  const unpriced = parts
    .filter(({ upperMicro }) => upperMicro === null)
    .map(({ country, messages }) => ({ country, messages }));
  if (unpriced.length > 0) return { basis, ...UNKNOWN, unpriced, othersMicro: sum };
  const atHome = countries.get(home)?.segments ?? 0;
  const abroad = parts.filter(({ country }) => country !== home);
  const heldMicro =
    rangeOf(atHome, pricesAtHome(prices)).upperMicro +
    abroad.reduce((total, { upperMicro }) => total + (upperMicro ?? 0), 0);
  return { basis, ...sum, heldMicro, unpriced, othersMicro: null };
}

/** The messages by what they are priced as. Their amounts come to the estimate, where it is known. */
export function costParts(countries: Countries, prices: PlanPrices): CostPart[] {
  return [...countries].flatMap(([country, of]) => partsOf(country, of, prices));
}

/** Without a message at home no home price is needed. */
function basisOf(countries: Countries, { home, configured, learned }: PlanPrices): CostEstimate['basis'] {
  const isAbroad = countries.size > 0 && !countries.has(home);
  if (configured !== null || isAbroad) return 'configured';
  return learned.length > 0 ? 'learned' : 'unknown';
}

const UNKNOWN = { lowerMicro: null, upperMicro: null, heldMicro: null };

type Price = Pick<KnownPrice, 'costMicro' | 'segments'>;

function pricesAtHome({ configured, learned }: PlanPrices): Price[] {
  return configured?.map((costMicro) => ({ costMicro, segments: 1 })) ?? learned;
}

/** The messages of a country: at home those of a known network at its learned prices, and the others at all prices. */
function partsOf(country: string, of: OfCountry, prices: PlanPrices): CostPart[] {
  const { messages, segments } = of;
  if (country !== prices.home)
    return [{ country, network: null, messages, segments, ...abroadCost(segments, country, prices) }];
  const all = pricesAtHome(prices);
  if (all.length === 0) return [{ country, network: null, messages, segments, ...NO_PRICE }];
  const parts: CostPart[] = [];
  const others = { messages, segments };
  for (const [network, known] of prices.configured === null ? (of.networks ?? []) : []) {
    const own = prices.learned.filter((price) => price.network === network);
    if (own.length === 0) continue;
    others.messages -= known.messages;
    others.segments -= known.segments;
    parts.push({ country, network, ...known, ...rangeOf(known.segments, own) });
  }
  if (others.messages > 0 || parts.length === 0)
    parts.push({ country, network: null, ...others, ...rangeOf(others.segments, all) });
  return parts;
}

const NO_PRICE = { lowerMicro: null, upperMicro: null };

function addRange(sum: Range, { lowerMicro, upperMicro }: Pick<CostPart, 'lowerMicro' | 'upperMicro'>): void {
  sum.lowerMicro += lowerMicro ?? 0;
  sum.upperMicro += upperMicro ?? 0;
}

function rangeOf(segments: number, prices: Price[]): Range {
  if (segments === 0 || prices.length === 0) return { lowerMicro: 0, upperMicro: 0 };
  return {
    lowerMicro: Math.min(...prices.map((price) => Math.floor((segments * price.costMicro) / price.segments))),
    // A budget of this amount must be enough for the money that claims reserve.
    upperMicro: segments * Math.max(...prices.map(microPerSegment)),
  };
}

function abroadCost(segments: number, country: string, { abroad }: PlanPrices): Range | typeof NO_PRICE {
  const price = abroad[country];
  return price === undefined ? NO_PRICE : { lowerMicro: segments * price, upperMicro: segments * price };
}

/** The time of the last message, and the fit into the send window. Instants in milliseconds. */
export interface Forecast {
  /** Messages a second that the settings allow; null: unlimited, so that only the provider decides. */
  ratePerSecond: number | null;
  startsAt: number;
  /** Null: unknown. It may take several days. */
  finishesAt: number | null;
  /** The end of the window that it starts in; the last messages leave a margin before it. */
  windowClosesAt: number | null;
  /** True: everything is sent in that window; null: unknown. */
  fits: boolean | null;
  /** The time when it goes on if it does not fit. */
  goesOnAt: number | null;
}

/** The forecast gives up after this many days, because the rate or the window must be a mistake. */
const MOST_DAYS = 400;

/** The amount to send, and the speed. */
interface Course {
  /** Messages, or segments where the rates count segments. */
  messages: number;
  /** Messages a second; null: no limit. */
  account: number | null;
  campaign: number | null;
  /** True: the rate was measured. Else it is a limit, of which a little stays unused. */
  measured?: boolean;
}

/** Simulates a campaign through its hours, without other campaigns on its account. */
export function forecast(
  plan: Course & { window: SendWindow | null; zone: string; startsAt: number },
): Forecast {
  const { window, zone } = plan;
  const rate = jointRate(plan.account, plan.campaign);
  const startsAt = openFrom(window, zone, plan.startsAt);
  const opened = windowState(window, zone, startsAt);
  const windowClosesAt = opened.open ? opened.closesAt : null;
  const start = { ratePerSecond: lowerOf(plan), startsAt, windowClosesAt };
  if (rate === null)
    return { ...start, finishesAt: null, fits: windowClosesAt === null ? true : null, goesOnAt: null };
  const needsMs = neededMs(plan, rate);
  const finishesAt = finishOf({ window, zone, startsAt, needsMs });
  const fits = finishesAt === startsAt + needsMs;
  const goesOnAt = fits || windowClosesAt === null ? null : openFrom(window, zone, windowClosesAt);
  return { ...start, finishesAt, fits, goesOnAt };
}

function lowerOf({ account, campaign }: Course): number | null {
  return account === null || campaign === null ? (account ?? campaign) : Math.min(account, campaign);
}

function neededMs(course: Course, ratePerSecond: number): number {
  const { messages, measured = false } = course;
  const count = measured ? messages : atFullRate(messages);
  return Math.round((count / ratePerSecond) * 1_000);
}

/** The first moment from `at` on at which messages may leave. */
function openFrom(window: SendWindow | null, zone: string, at: number): number {
  const state = sendingHours(window, zone, at);
  return state.open ? at : state.opensAt;
}

function finishOf(run: {
  window: SendWindow | null;
  zone: string;
  startsAt: number;
  needsMs: number;
}): number | null {
  const { window, zone } = run;
  let [at, leftMs] = [run.startsAt, run.needsMs];
  for (let days = 0; days < MOST_DAYS; days++) {
    const state = sendingHours(window, zone, at);
    if (!state.open) at = state.opensAt;
    else if (state.closesAt === null || at + leftMs <= state.closesAt) return at + leftMs;
    else {
      leftMs -= state.closesAt - at;
      at = state.closesAt;
    }
  }
  return null;
}

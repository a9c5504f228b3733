import type { MoneyMicro } from '../../domain/money.ts';
import type { CampaignOverview, LedgerReader } from '../../ledger/contracts/reader.ts';
import type { Env } from '../env.ts';

/** The settings that plans and launches depend on. Money in millionths. */
export interface LaunchSettings {
  /** The countries that may be sent to (ISO 3166); the first is that of numbers without a country. */
  countries: readonly string[];
  zone: string;
  currency: string;
  optOutText: string;
  /** The sender of jobs without one; null: there is none. */
  sender: string | null;
  /** Prices per segment that a person has set; null: none. */
  prices: MoneyMicro[] | null;
  /** Prices per segment of other countries that a person has set. */
  pricesAbroad: Readonly<Record<string, MoneyMicro>>;
  /** The account's messages a second; null: unlimited. */
  ratePerSecond: number | null;
  /** Rates count segments, not messages. */
  rateBySegment: boolean;
  /** HTTP statuses that surely mean "not accepted" by the profile. */
  notAccepted: readonly number[];
  /** Where the ledger is, for people. */
  ledgerPlace: string;
}

/** The parts of the environment that a launch uses. */
export interface LaunchEnv extends Pick<Env, 'ledger' | 'provider' | 'clock' | 'random'> {
  settings: LaunchSettings;
  reader: () => Promise<LedgerReader>;
  /** False: no worker lives, so what is on the wire is not waited for. */
  isWorkerAlive: () => Promise<boolean>;
  /** Says that messages on the wire of a canceled campaign are waited for; left out: nobody watches. */
  waits?: (canceled: CampaignOverview) => void;
}

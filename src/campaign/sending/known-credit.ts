import type { MoneyMicro } from '../../domain/money.ts';
import type { SendResult } from '../../provider/provider.ts';
import type { AnsweredMessage } from './lease-queue.ts';

/** The credit of accounts, as far as the ledger does not know it. */
export class KnownCredit {
  /** Campaigns paused for balance go on above this credit. No entry: one try is allowed. */
  readonly #atPause = new Map<string, MoneyMicro>();
  /** The start of an account's tries, in monotonic milliseconds, until one of its messages is accepted. */
  readonly #tryingSince = new Map<string, number>();
  /** Accounts that may have been charged since their last balance reading with nothing in flight. */
  readonly #unread = new Set<string>();

  /** Notes the provider's answer to a message. */
  answered(result: SendResult, { account, dispatchedAt }: AnsweredMessage): void {
    this.#unread.add(account);
    if (result.outcome === 'accepted') this.#tryingSince.delete(account);
    if (result.outcome !== 'refused' || result.refusal !== 'credit') return;
    // A late answer may be older than a top-up. Only a refusal after the resume proves a lack of credit.
    const since = this.#tryingSince.get(account);
    if (since === undefined || dispatchedAt < since) this.#atPause.delete(account);
  }

  /** A campaign of the account pauses because of this credit; null: the provider named no credit. */
  tooLittle(account: string, creditMicro: MoneyMicro | null): void {
    if (creditMicro === null) this.#atPause.delete(account);
    else this.#atPause.set(account, creditMicro);
  }

  /** Lets the account's campaigns go on if its credit has risen. `now` in monotonic milliseconds. */
  async goOnIfRisen(
    account: string,
    { creditMicro, now }: { creditMicro: MoneyMicro; now: number },
    goOn: () => Promise<void>,
  ): Promise<void> {
    const before = this.#atPause.get(account) ?? 0;
    this.#atPause.set(account, creditMicro);
    if (creditMicro <= before) return;
    this.#tryingSince.set(account, now);
    try {
      await goOn();
    } catch (error) {
      // Some campaigns are still paused, so the next look tries again.
      this.#atPause.set(account, before);
      throw error;
    }
  }

  /** Reads each account that may have been charged since its last reading. A failed read is repeated. */
  async readCharged(read: (account: string) => Promise<void>): Promise<void> {
    for (const account of this.#unread) {
      this.#unread.delete(account);
      await read(account).catch((error: unknown) => {
        this.#unread.add(account);
        throw error;
      });
    }
  }
}

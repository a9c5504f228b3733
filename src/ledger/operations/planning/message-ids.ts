import { type Connection, getEach } from '../../connection.ts';
import { plainId } from '../../../domain/message-id.ts';
import type { MoneyMicro } from '../../../domain/money.ts';
import { type Sql, loadStatements } from '../../statements.ts';

/** The message that a report belongs to. Money in millionths. */
export interface MessageRef {
  campaign: number;
  seq: number;
  /** The money reserved for an uncertain message. */
  reserved?: MoneyMicro;
}

/** A message with an id of the provider. */
export interface Member extends MessageRef {
  messageId: string;
  mobile: string;
  /** The time of its claim in milliseconds; 0: nobody knows it. */
  begunAt: number;
}

const ALL = Number.MAX_SAFE_INTEGER;

/** Called with new members of one family that has other members, too. A member may come twice. */
type OnRelated = (fresh: Member[]) => Promise<void>;

/**
 * The provider's ids. Reports find messages by them. A family is all messages whose ids differ only in case or
 * leading zeros.
 */
export class MessageIds {
  readonly #sql: Sql;
  readonly #onRelated: OnRelated;

  constructor(database: Connection, onRelated: OnRelated) {
    this.#sql = loadStatements(database, new URL('./message-ids.sql', import.meta.url));
    this.#onRelated = onRelated;
  }

  /** To be called behind the writes of new ids, in their transaction: two messages may have got one id. */
  async given(messages: readonly Pick<Member, 'campaign' | 'seq' | 'messageId'>[]): Promise<void> {
    if (messages.length === 0) return;
    const ids = JSON.stringify(messages.map(({ messageId }) => plainId(messageId)));
    // One look for all, because nearly every id is of one message.
    const families = await this.#sql('shared_families').all(ids);
    const shared = new Set(families.map((row) => row['plainId']));
    const sharing = messages.filter(({ messageId }) => shared.has(plainId(messageId)));
    const found = await getEach(
      this.#sql('related'),
      sharing.map(({ campaign, seq }) => [campaign, seq]),
    );
    const related = found.filter((row) => row !== undefined) as unknown as (Member & { plainId: string })[];
    for (const fresh of Map.groupBy(related, ({ plainId }) => plainId).values()) await this.#onRelated(fresh);
  }

  /** Of the id's family at most `count` members; left out: all. */
  async family(messageId: string, count = ALL): Promise<Member[]> {
    return (await this.#sql('family').all(messageId, count)) as unknown as Member[];
  }

  /** The members of the id's family to a mobile. */
  async familyTo(messageId: string, mobile: string): Promise<Member[]> {
    return (await this.#sql('family_to').all(messageId, mobile)) as unknown as Member[];
  }

  /** Messages with exactly this id, begun until a moment: at most `count`. */
  async exact(messageId: string, count: number, begunUntil = ALL): Promise<Member[]> {
    return (await this.#sql('exact').all(messageId, begunUntil, count)) as unknown as Member[];
  }
}

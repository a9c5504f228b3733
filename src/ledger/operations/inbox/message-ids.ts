import { type Connection, getEach } from '../../connection.ts';
import { plainId } from '../../../domain/message-id.ts';
import type { MessagePlace } from '../../contracts/finding.ts';
import type { Member } from '../../decide/report-place.ts';
import { type Sql, loadStatements } from '../../statements.ts';

/** After every claim. */
const EVER = Number.MAX_SAFE_INTEGER;

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
  async given(messages: readonly (MessagePlace & { messageId: string })[]): Promise<void> {
    if (messages.length === 0) return;
    const ids = JSON.stringify(messages.map(({ messageId }) => plainId(messageId)));
    // One look for all, because nearly every id is of one message.
    const families = await this.#sql('shared_families').all(ids);
    const shared = new Set(families.map((row) => row['plainId']));
    const sharing = messages.filter(({ messageId }) => shared.has(plainId(messageId)));
    const related = this.#sql<Member & { plainId: string }>('related');
    const found = await getEach(related, sharing, ({ campaign, seq }) => [campaign, seq]);
    const members = found.filter((row) => row !== undefined);
    for (const fresh of Map.groupBy(members, ({ plainId }) => plainId).values()) await this.#onRelated(fresh);
  }

  /** The members of the id's family to a mobile. */
  async familyTo(messageId: string, mobile: string): Promise<Member[]> {
    return await this.#sql<Member>('family_to').all(messageId, mobile);
  }

  /** Messages with exactly this id, begun until a moment: at most `count`. */
  async exact(messageId: string, count: number, begunUntil = EVER): Promise<Member[]> {
    return await this.#sql<Member>('exact').all(messageId, begunUntil, count);
  }
}

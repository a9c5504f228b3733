import type { Connection } from '../../connection.ts';
import type { AlertCause } from '../../../domain/alert.ts';
import type {
  AlertEndpointLedger,
  AlertEndpointReader,
  AlertEndpointRow,
  AlertTarget,
} from '../../contracts/alert-endpoints.ts';
import type { AlertLedger } from '../../contracts/alerts.ts';
import type { StateChange } from '../../contracts/records.ts';
import type { CampaignRecords } from '../planning/campaigns.ts';
import { loadStatements, type Sql } from '../../statements.ts';

/* The addresses of programs that get alerts. */

/** What other operations do with endpoints. */
export class EndpointBook {
  readonly #sql: Sql;

  constructor(database: Connection) {
    this.#sql = loadStatements(database, new URL('./alert-endpoints.sql', import.meta.url));
  }

  /** Removes those that somebody added, as the audit names who it was, with their deliveries. Returns them. */
  async endOf(by: string): Promise<Pick<AlertEndpointRow, 'id' | 'url'>[]> {
    const ended = await this.#sql<Pick<AlertEndpointRow, 'id' | 'url'>>('of_person').all(by);
    for (const { id } of ended) await this.remove(id);
    return ended;
  }

  /** Removes one with its deliveries. False: there is none. */
  async remove(id: string): Promise<boolean> {
    if ((await this.#sql('remove').run(id)).changes === 0) return false;
    await this.#sql('remove_deliveries').run(id);
    return true;
  }

  /** Notes how a try ended; `why` null: it was taken. A channel that is no endpoint, or no more, has no note. */
  async note(channel: string, { now, why }: { now: number; why: string | null }): Promise<void> {
    if (why === null) await this.#sql('taken').run(channel, now);
    else await this.#sql('failed').run(channel, now, why);
  }
}

/** The write part. `raiseAlerts` raises what has happened until now. */
export function endpointOperations(
  database: Connection,
  { audit }: Pick<CampaignRecords, 'audit'>,
  { raiseAlerts }: Pick<AlertLedger, 'raiseAlerts'>,
): AlertEndpointLedger {
  const sql = loadStatements(database, new URL('./alert-endpoints.sql', import.meta.url));
  const book = new EndpointBook(database);
  const note = ({ now, by }: StateChange, verb: string, detail: object) =>
    audit({ now, by, verb, campaign: null, detail });
  return {
    async addAlertEndpoint(endpoint) {
      const { id, url, description, causes, secret, limits, most, now, by } = endpoint;
      // Where nobody received alerts, none was raised: what happened before is no news for this one.
      await raiseAlerts({ now, ...limits });
      const kept = causes === null ? null : JSON.stringify(causes);
      const added = (await sql('add').run(id, url, description, kept, secret, now, by, most)).changes > 0;
      if (added) await note(endpoint, 'add_alert_endpoint', { endpoint: id, address: endpoint.shown });
      return added;
    },
    async removeAlertEndpoint({ id, ...change }) {
      if (!(await book.remove(id))) return false;
      await note(change, 'remove_alert_endpoint', { endpoint: id });
      return true;
    },
    async renewAlertSecret({ id, secret, ...change }) {
      if ((await sql('renew_secret').run(id, secret)).changes === 0) return false;
      await note(change, 'renew_alert_secret', { endpoint: id });
      return true;
    },
    alertTarget: async (id) => (await sql<AlertTarget>('target').get(id)) ?? null,
    noteEndpointTry: ({ id, now, why }) => book.note(id, { now, why }),
  };
}

/** The read part. */
export function endpointReads(database: Connection): AlertEndpointReader {
  const sql = loadStatements(database, new URL('./alert-endpoints.sql', import.meta.url));
  return {
    async alertEndpoints() {
      const rows = await sql<Omit<AlertEndpointRow, 'causes'> & { causes: string | null }>('all').all();
      return rows.map(({ causes, ...row }) => ({
        ...row,
        causes: causes === null ? null : (JSON.parse(causes) as AlertCause[]),
      }));
    },
  };
}

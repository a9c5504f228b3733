import type { Connection } from '../../connection.ts';
import type { AlertCause } from '../../../domain/alert.ts';
import type {
  AlertEndpointRow,
  AlertTarget,
  EndpointTry,
  NewAlertEndpoint,
} from '../../contracts/alert-endpoints.ts';
import type { StateChange } from '../../contracts/records.ts';
import type { CampaignRecords } from '../planning/campaigns.ts';
import { loadStatements, type Sql } from '../../statements.ts';

/* The addresses of programs that get alerts (ledger/alert-endpoints.ts). */

/** Its deliveries, for ./alerts.ts. */
export class EndpointBook {
  readonly #sql: Sql;

  constructor(database: Connection) {
    this.#sql = loadStatements(database, new URL('./alert-endpoints.sql', import.meta.url));
  }

  /** Adds the deliveries of alerts since an instant to an endpoint; for any other channel, none. */
  async address(channel: string, since: number): Promise<void> {
    await this.#sql('address').run(channel, since);
  }

  /** Removes those that somebody added, as the audit names who it was, with their deliveries. Returns them. */
  async endOf(by: string): Promise<Pick<AlertEndpointRow, 'id' | 'url'>[]> {
    const ended = (await this.#sql('of_person').all(by)) as unknown as Pick<AlertEndpointRow, 'id' | 'url'>[];
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

/** The write part. `raise` raises what has happened until now. */
export function endpointOperations(
  database: Connection,
  { audit }: Pick<CampaignRecords, 'audit'>,
  raise: (limits: NewAlertEndpoint['limits'] & { now: number }) => Promise<unknown>,
) {
  const sql = loadStatements(database, new URL('./alert-endpoints.sql', import.meta.url));
  const book = new EndpointBook(database);
  const note = ({ now, by }: StateChange, verb: string, detail: object) =>
    audit({ now, by, verb, campaign: null, detail });
  return {
    async addAlertEndpoint(endpoint: NewAlertEndpoint): Promise<boolean> {
      const { id, url, description, causes, secret, limits, most, now, by } = endpoint;
      // Where nobody received alerts, none was raised: what happened before is no news for this one.
      await raise({ now, ...limits });
      const kept = causes === null ? null : JSON.stringify(causes);
      const added = (await sql('add').run(id, url, description, kept, secret, now, by, most)).changes > 0;
      if (added) await note(endpoint, 'add_alert_endpoint', { endpoint: id, address: endpoint.shown });
      return added;
    },
    async removeAlertEndpoint({ id, ...change }: StateChange & { id: string }): Promise<boolean> {
      if (!(await book.remove(id))) return false;
      await note(change, 'remove_alert_endpoint', { endpoint: id });
      return true;
    },
    async renewAlertSecret({
      id,
      secret,
      ...change
    }: StateChange & { id: string; secret: string }): Promise<boolean> {
      if ((await sql('renew_secret').run(id, secret)).changes === 0) return false;
      await note(change, 'renew_alert_secret', { endpoint: id });
      return true;
    },
    alertTarget: async (id: string) => ((await sql('target').get(id)) as AlertTarget | undefined) ?? null,
    noteEndpointTry: ({ id, now, why }: EndpointTry): Promise<void> => book.note(id, { now, why }),
  };
}

/** The read part. */
export function endpointReads(database: Connection) {
  const sql = loadStatements(database, new URL('./alert-endpoints.sql', import.meta.url));
  return {
    alertEndpoints: async (): Promise<AlertEndpointRow[]> =>
      (
        (await sql('all').all()) as unknown as (Omit<AlertEndpointRow, 'causes'> & {
          causes: string | null;
        })[]
      ).map((row) => ({
        ...row,
        causes: row.causes === null ? null : (JSON.parse(row.causes) as AlertCause[]),
      })),
  };
}

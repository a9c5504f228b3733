import { type Connection, runEach, type Statement } from '../../connection.ts';
import { URGENT_CAUSES } from '../../../domain/alert.ts';
import { LEASE_MS } from '../../../domain/protocol-times.ts';
import type { AlertLedger, DueAlert } from '../../contracts/alerts.ts';
import type { EndpointBook } from './alert-endpoints.ts';
import { loadStatements } from '../../statements.ts';

const HOUR_MS = 3_600_000;
/** Older events raise no alert, and older alerts are not tried again. */
const FRESH_MS = 24 * HOUR_MS;
/** An outage of the service that lasts so long is one that people should know. */
const OUTAGE_MS = 60_000;
/** Reports have stopped when none came for this long … */
const SILENCE_MS = HOUR_MS;
/** … although the campaign was still sending this long after the last one. */
const SILENCE_SLACK_MS = 10 * 60_000;
/** For this long no other process tries the same alert. */
const TRY_MS = 60_000;
/** Causes that one process takes at once: it must try all of them within `TRY_MS`. */
const MOST_AT_ONCE = 3;
/** An urgent cause goes out again after this long; meanwhile it collects. */
const URGENT_AGAIN_MS = 60_000;
/** Any other cause. */
const AGAIN_MS = HOUR_MS;
const URGENT = JSON.stringify(URGENT_CAUSES);
/** Replies that may be a STOP are one alert a day, because a person reads them all at once. */
const DAY_MS = 24 * HOUR_MS;
const NEVER = Number.MAX_SAFE_INTEGER;

type DueRow = Omit<DueAlert, 'campaign' | 'detail'> & {
  detail: string;
  campaignId: string | null;
  name: string | null;
};

/** Alerts: raised when something has happened, and taken by each channel. */
export function alertOperations(database: Connection, endpoints: Pick<EndpointBook, 'note'>): AlertLedger {
  const sql = loadStatements(database, new URL('./alerts.sql', import.meta.url));

  return {
    async raiseAlerts({ now, lowCreditMicro, uncertain }) {
      const since = now - FRESH_MS;
      const raised = [
        await sql('raise_finished').run(now, since),
        await sql('raise_paused').run(now, since),
        await sql('raise_canary').run(now, since),
        await sql('raise_approval').run(now, since),
        await sql('raise_approvers').run(now, since),
        await sql('raise_uncertain').run(now, since, uncertain),
        await sql('raise_answers').run(now, since, now - HOUR_MS),
        await sql('raise_words').run(now, since, now - HOUR_MS),
        await raiseOnce(sql('raise_not_understood'), sql('mark_not_understood'), [now, now - HOUR_MS]),
        await raiseOnce(sql('raise_maybe_stop'), sql('mark_maybe_stop'), [now, now - DAY_MS]),
        await sql('raise_service').run(now, now - OUTAGE_MS, now - LEASE_MS),
        await sql('raise_silence').run(now, since, now - SILENCE_MS, SILENCE_SLACK_MS),
        ...(lowCreditMicro === null ? [] : [await sql('raise_credit').run(now, since, lowCreditMicro)]),
      ];
      return raised.reduce((sum, { changes }) => sum + Number(changes), 0);
    },
    async takeAlerts({ now, channel }) {
      await sql('address').run(channel, now - FRESH_MS);
      const values = [channel, now, URGENT, now - URGENT_AGAIN_MS, now - AGAIN_MS];
      const due = await sql<DueRow>('due').all(...values);
      const causes = [...Map.groupBy(due, ({ cause }) => cause).values()].slice(0, MOST_AT_ONCE);
      await runEach(sql('hold'), causes.flat(), ({ id }) => [channel, id, now + TRY_MS]);
      return causes.map((rows) => rows.map(dueAlert));
    },
    async recordAlertTry({ alert, channel, now, retryAt, why = null }) {
      const deliveredAt = retryAt === null ? now : null;
      await sql('record_try').run(alert, channel, deliveredAt, Math.min(retryAt ?? 0, NEVER));
      await endpoints.note(channel, { now, why });
    },
  };
}

/** Raises one alert about all that no alert has counted yet, and marks them as counted. */
async function raiseOnce(raise: Statement, mark: Statement, values: number[]) {
  const raised = await raise.run(...values);
  if (raised.changes > 0) await mark.run();
  return raised;
}

function dueAlert({ campaignId: id, name, detail, ...alert }: DueRow): DueAlert {
  const campaign = id === null || name === null ? null : { id, name };
  return { ...alert, campaign, detail: JSON.parse(detail) as DueAlert['detail'] };
}

import type { Connection, Statement } from '../../connection.ts';
import { type AlertCause, URGENT_CAUSES } from '../../../domain/alert.ts';
import { LEASE_MS } from '../../../domain/protocol-times.ts';
import type { AlertLimits, AlertTry, DueAlert } from '../../contracts/alerts.ts';
import type { EndpointBook } from './alert-endpoints.ts';
import { loadStatements } from '../../statements.ts';
import { mapInOrder } from '../../in-order.ts';

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

interface DueRow {
  alert: number;
  tries: number;
  cause: AlertCause;
}

interface AlertRow {
  id: number;
  cause: AlertCause;
  at: number;
  detail: string;
  n: number | null;
  campaign_id: string | null;
  name: string | null;
}

/** The alerts of ledger/alerts.ts. */
export function alertOperations(database: Connection, endpoints: Pick<EndpointBook, 'address' | 'note'>) {
  const sql = loadStatements(database, new URL('./alerts.sql', import.meta.url));

  return {
    async raiseAlerts({ now, lowCreditMicro, uncertain }: AlertLimits): Promise<number> {
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
    async raiseAlert(cause: AlertCause, now: number): Promise<void> {
      await sql('raise_one').run(cause, now);
    },
    async takeAlerts({ now, channel }: { now: number; channel: string }): Promise<DueAlert[][]> {
      if (isOfSettings(channel)) await sql('address').run(channel, now - FRESH_MS);
      else await endpoints.address(channel, now - FRESH_MS);
      const due = await sql('due').all(channel, now, URGENT, now - URGENT_AGAIN_MS, now - AGAIN_MS);
      const causes = [...Map.groupBy(due as unknown as DueRow[], ({ cause }) => cause).values()];
      return await mapInOrder(
        causes.slice(0, MOST_AT_ONCE),
        async (rows) =>
          await mapInOrder(rows, async ({ alert, tries }) => {
            await sql('hold').run(channel, alert, now + TRY_MS);
            return { ...dueAlert((await sql('alert').get(alert)) as unknown as AlertRow), tries };
          }),
      );
    },
    async recordAlertTry({ alert, channel, now, retryAt, why = null }: AlertTry): Promise<void> {
      await sql('record_try').run(
        alert,
        channel,
        retryAt === null ? now : null,
        Math.min(retryAt ?? 0, NEVER),
      );
      await endpoints.note(channel, { now, why });
    },
  };
}

/** Settings name two channels; every other one is an endpoint, which may be removed by now. */
function isOfSettings(channel: string): boolean {
  return channel === 'webhook' || channel === 'mail';
}

/** Raises one alert about all that no alert has counted yet, and marks them as counted. */
async function raiseOnce(raise: Statement, mark: Statement, values: number[]) {
  const raised = await raise.run(...values);
  if (raised.changes > 0) await mark.run();
  return raised;
}

function dueAlert({ id, cause, at, detail, n, campaign_id: campaignId, name }: AlertRow) {
  const campaign = campaignId === null || name === null ? null : { id: campaignId, name };
  return { id, cause, at, campaign, n, detail: JSON.parse(detail) as DueAlert['detail'] };
}

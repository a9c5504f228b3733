import type { Connection } from '../connection.ts';
import type { Engine } from '../engine.ts';
import { answerReads } from './sending/answers.ts';
import { endpointReads } from './keeping/alert-endpoints.ts';
import { accountReads } from './reading/reader-account.ts';
import { agendaReads } from './reading/reader-agenda.ts';
import { aheadReads } from './reading/reader-ahead.ts';
import { canceledPeopleReads } from './orders/canceled-people.ts';
import { canaryReads } from './sending/canary.ts';
import { eraseReads } from './keeping/erase.ts';
import { findingReads } from './reading/reader-finding.ts';
import { lossReads } from './reading/reader-loss.ts';
import { peopleReads } from './keeping/people.ts';
import { auditReads } from './reading/audit.ts';
import { campaignReads } from './reading/reader-campaigns.ts';
import { checkReads } from './reading/reader-checks.ts';
import { counterChecks } from './reading/reader-checks-counters.ts';
import { counterReads } from './reading/reader-counters.ts';
import { messageReads } from './reading/reader-messages.ts';
import { preparationReads } from './planning/preparations.ts';
import { replyReads } from './reading/reader-replies.ts';
import { seriesReads } from './reading/reader-series.ts';
import { statementReads } from './reading/reader-statement.ts';
import { taskReads } from './keeping/tasks.ts';
import { unmatchedReads } from './reading/reader-unmatched.ts';
import { latencyReads } from './reading/reader-latencies.ts';
import { overviewReads } from './reading/reader-overview.ts';
import { priceReads } from './reading/reader-prices.ts';
import { uncertainReads } from './reading/reader-uncertain.ts';

/** The operations of a ledger's reader; see thread/reader.ts. */
export type ReaderOperations = ReturnType<typeof readerOperations>;

/** `ReaderOperations` over this connection. */
export function readerOperations(database: Connection, engine: Engine) {
  const campaigns = campaignReads(database);
  const agenda = agendaReads(database);
  const account = accountReads(database);
  const statement = statementReads(database);
  const overviews = overviewReads({
    counters: counterReads(database),
    campaigns,
    prices: priceReads(database),
    canaries: canaryReads(database),
    agenda,
  });
  return {
    ...campaigns,
    ...agenda,
    ...overviews,
    ...seriesReads(database),
    ...answerReads(database),
    ...account,
    ...aheadReads(database, { ...account, ...statement }),
    ...auditReads(database),
    ...preparationReads(database),
    ...taskReads(database),
    ...endpointReads(database),
    ...eraseReads(database),
    ...lossReads(database),
    ...peopleReads(database),
    ...replyReads(database),
    ...findingReads(database),
    ...statement,
    ...latencyReads(database),
    ...messageReads(database),
    ...canceledPeopleReads(database),
    ...uncertainReads(database),
    ...checkReads(database, engine),
    ...counterChecks(database),
    ...unmatchedReads(database),
  };
}

import type { DatabaseSync } from 'node:sqlite';
import { answerReads } from './answers.ts';
import { refuseNewer } from './migrate.ts';
import { openForReading } from './open.ts';
import { endpointReads } from './alert-endpoints.ts';
import { accountReads } from './reader-account.ts';
import { agendaReads } from './reader-agenda.ts';
import { aheadReads } from './reader-ahead.ts';
import { canceledPeopleReads } from './canceled-people.ts';
import { canaryReads } from './canary.ts';
import { eraseReads } from './erase.ts';
import { findingReads } from './reader-finding.ts';
import { lossReads } from './reader-loss.ts';
import { peopleReads } from './people.ts';
import { auditReads } from './reader-audit.ts';
import { campaignReads } from './reader-campaigns.ts';
import { checkReads } from './reader-checks.ts';
import { counterChecks } from './reader-checks-counters.ts';
import { counterReads } from './reader-counters.ts';
import { messageReads } from './reader-messages.ts';
import { preparationReads } from './preparations.ts';
import { replyReads } from './reader-replies.ts';
import { seriesReads } from './reader-series.ts';
import { statementReads } from './reader-statement.ts';
import { taskReads } from './tasks.ts';
import { unmatchedReads } from './reader-unmatched.ts';
import { latencyReads } from './reader-latencies.ts';
import { overviewReads } from './reader-overview.ts';
import { priceReads } from './reader-prices.ts';
import { uncertainReads } from './reader-uncertain.ts';
import type { ThreadData } from './ledger-thread.ts';
import { type Port, readRunner, type Served } from './thread.ts';

/** The operations of a ledger's reader; see reader.ts. */
export type ReaderOperations = ReturnType<typeof readerOperations>;

/** `ReaderOperations` over this connection. */
export function readerOperations(database: DatabaseSync) {
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
    ...checkReads(database),
    ...counterChecks(database),
    ...unmatchedReads(database),
  };
}

/** Opens the thread of a ledger's reader. Throws the errors of `openSqliteReader`. */
export async function serveReader({ file }: ThreadData, port: Port): Promise<Served> {
  const database = openForReading(file);
  try {
    refuseNewer(database);
    return { database, runner: readRunner(database, readerOperations(database), port) };
  } catch (error) {
    database.close();
    throw error;
  }
}

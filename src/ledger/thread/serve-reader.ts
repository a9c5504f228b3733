import type { DatabaseSync } from 'node:sqlite';
import type { Engine } from '../engine.ts';
import { sqliteEngine } from '../sqlite/sqlite-engine.ts';
import { answerReads } from '../operations/sending/answers.ts';
import { refuseNewer } from '../sqlite/migrate.ts';
import { openForReading } from '../sqlite/open.ts';
import { sqliteSnapshots } from '../sqlite/sqlite-transactions.ts';
import { endpointReads } from '../operations/keeping/alert-endpoints.ts';
import { accountReads } from '../operations/reading/reader-account.ts';
import { agendaReads } from '../operations/reading/reader-agenda.ts';
import { aheadReads } from '../operations/reading/reader-ahead.ts';
import { canceledPeopleReads } from '../operations/orders/canceled-people.ts';
import { canaryReads } from '../operations/sending/canary.ts';
import { eraseReads } from '../operations/keeping/erase.ts';
import { findingReads } from '../operations/reading/reader-finding.ts';
import { lossReads } from '../operations/reading/reader-loss.ts';
import { peopleReads } from '../operations/keeping/people.ts';
import { auditReads } from '../operations/reading/reader-audit.ts';
import { campaignReads } from '../operations/reading/reader-campaigns.ts';
import { checkReads } from '../operations/reading/reader-checks.ts';
import { counterChecks } from '../operations/reading/reader-checks-counters.ts';
import { counterReads } from '../operations/reading/reader-counters.ts';
import { messageReads } from '../operations/reading/reader-messages.ts';
import { preparationReads } from '../operations/planning/preparations.ts';
import { replyReads } from '../operations/reading/reader-replies.ts';
import { seriesReads } from '../operations/reading/reader-series.ts';
import { statementReads } from '../operations/reading/reader-statement.ts';
import { taskReads } from '../operations/keeping/tasks.ts';
import { unmatchedReads } from '../operations/reading/reader-unmatched.ts';
import { latencyReads } from '../operations/reading/reader-latencies.ts';
import { overviewReads } from '../operations/reading/reader-overview.ts';
import { priceReads } from '../operations/reading/reader-prices.ts';
import { uncertainReads } from '../operations/reading/reader-uncertain.ts';
import type { ThreadData } from './ledger-thread.ts';
import { type Port, readRunner, type Served } from './thread.ts';

/** The operations of a ledger's reader; see reader.ts. */
export type ReaderOperations = ReturnType<typeof readerOperations>;

/** `ReaderOperations` over this connection. */
export function readerOperations(database: DatabaseSync, engine: Engine) {
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

/** Opens the thread of a ledger's reader. Throws the errors of `openSqliteReader`. */
export async function serveReader({ file }: ThreadData, port: Port): Promise<Served> {
  const database = openForReading(file);
  try {
    refuseNewer(database);
    const snapshots = sqliteSnapshots(database);
    const operations = readerOperations(database, sqliteEngine(database));
    return {
      operations: Object.keys(operations),
      runner: readRunner(snapshots, operations, port),
      close: () => snapshots.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

import type { Connection } from '../connection.ts';
import type { Engine } from '../engine.ts';
import { accountReads, sharingReads } from './reading/account.ts';
import { agendaReads, heldNetworks } from './reading/agenda.ts';
import { auditReads } from './reading/audit.ts';
import { campaignReads, factReads } from './reading/campaigns.ts';
import { counterChecks } from './reading/checks-counters.ts';
import { checkReads } from './reading/checks.ts';
import { chartReads, counterReads } from './reading/counters.ts';
import { findingReads } from './reading/finding.ts';
import { messageReads, pageReads } from './reading/messages.ts';
import { overviewReads } from './reading/overview.ts';
import { replyReads } from './reading/replies.ts';
import { statementReads } from './reading/statement.ts';
import { unmatchedReads } from './reading/unmatched.ts';
import { answerReads } from './sending/answers.ts';
import { endpointReads } from './keeping/alert-endpoints.ts';
import { canceledPeopleReads } from './orders/canceled-people.ts';
import { canaryReads } from './sending/canary.ts';
import { eraseReads } from './keeping/erase.ts';
import { peopleReads } from './keeping/people.ts';
import { preparationReads } from './planning/preparations.ts';
import { taskReads } from './keeping/tasks.ts';

/** The operations of a ledger's reader; see thread/reader.ts. */
export type ReaderOperations = ReturnType<typeof readerOperations>;

/** `ReaderOperations` over this connection. */
export function readerOperations(database: Connection, engine: Engine) {
  const campaigns = factReads(database);
  const account = accountReads(database);
  const counters = counterReads(database);
  const overviews = overviewReads({
    counters,
    campaigns,
    canaries: canaryReads(database),
    heldNetworks: heldNetworks(database),
  });
  return {
    ...account,
    ...sharingReads(database),
    ...agendaReads(database, account),
    ...auditReads(database),
    ...campaigns,
    ...campaignReads(database),
    ...overviews,
    ...chartReads(database),
    ...statementReads(database, counters),
    ...messageReads(database),
    ...pageReads(database),
    ...findingReads(database),
    ...replyReads(database),
    ...unmatchedReads(database),
    ...checkReads(database, engine),
    ...counterChecks(database),
    ...answerReads(database),
    ...preparationReads(database),
    ...canceledPeopleReads(database),
    ...taskReads(database),
    ...endpointReads(database),
    ...eraseReads(database),
    ...peopleReads(database),
  };
}

import { afterEach, beforeEach, describe } from 'vitest';
import { alertsContract } from './contract-alerts.ts';
import { answersContract } from './contract-answers.ts';
import { besideContract } from './contract-cross-campaign.ts';
import { canceledPeopleContract } from './contract-canceled-people.ts';
import { canaryContract } from './contract-canary.ts';
import { claimContract } from './contract-claim.ts';
import { clockContract } from './contract-clock.ts';
import { cutOffContract } from './contract-cut-off.ts';
import { findingContract } from './contract-finding.ts';
import { joiningContract } from './contract-joining.ts';
import { moneyContract } from './contract-money.ts';
import { networkDeliveryContract } from './contract-network-delivery.ts';
import { networksContract } from './contract-networks.ts';
import { outcomeContract } from './contract-outcomes.ts';
import { peopleContract } from './contract-people.ts';
import { planContract } from './contract-plan.ts';
import { eraseContract } from './contract-erase.ts';
import { purgeContract } from './contract-purge.ts';
import { rateContract } from './contract-rate.ts';
import { replyContract } from './contract-replies.ts';
import { requestContract } from './contract-requests.ts';
import { reportContract } from './contract-reports.ts';
import { scheduleContract } from './contract-schedules.ts';
import { movedRemindersContract } from './contract-moved-reminders.ts';
import { correctedRemindersContract } from './contract-corrected-reminders.ts';
import { otherNumbersContract } from './contract-other-numbers.ts';
import { retriedRemindersContract } from './contract-retried-reminders.ts';
import { learnedContract } from './contract-learned.ts';
import { stateContract } from './contract-states.ts';
import { againContract } from './contract-replay.ts';
import { verbContract } from './contract-verbs.ts';
import { workerContract } from './contract-workers.ts';
import { type Open, World } from './contract-world.ts';

/** The parts of the contract, in groups whose test files run side by side. */
export const CONTRACT = {
  sending: {
    plan: planContract,
    states: stateContract,
    claims: claimContract,
    canaries: canaryContract,
    networks: networksContract,
    'delivery by network': networkDeliveryContract,
    verdicts: outcomeContract,
    workers: workerContract,
    'cut off': cutOffContract,
    clock: clockContract,
  },
  money: {
    money: moneyContract,
    rate: rateContract,
  },
  inbound: {
    alerts: alertsContract,
    answers: answersContract,
    reports: reportContract,
    'joining reports': joiningContract,
    replies: replyContract,
    finding: findingContract,
    'dead numbers': learnedContract,
    'maps and voids': againContract,
  },
  campaigns: {
    verbs: verbContract,
    'canceled people': canceledPeopleContract,
    schedules: scheduleContract,
    'moved reminders': movedRemindersContract,
    'retried reminders': retriedRemindersContract,
    'corrected reminders': correctedRemindersContract,
    'other numbers': otherNumbersContract,
    people: peopleContract,
    purge: purgeContract,
    erase: eraseContract,
    'other campaigns': besideContract,
    'requests with a key': requestContract,
  },
};

export type ContractGroup = keyof typeof CONTRACT;

/**
 * What every ledger must hold to, whatever database it stands on. After each test the whole ledger is verified, so that
 * no test can leave a sum wrong without being told.
 */
export function ledgerContract(name: string, group: ContractGroup, open: Open): void {
  describe(`${name} holds to the write contract:`, () => {
    let world: World;
    beforeEach(async () => {
      world = new World(await open());
    });
    afterEach(async () => {
      try {
        await world.verify();
      } finally {
        await world.close();
      }
    });
    for (const [part, contract] of Object.entries(CONTRACT[group]))
      describe(part, () => contract(() => world));
  });
}

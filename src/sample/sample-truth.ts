import type { Config } from '../config.ts';
import { formatMoney } from '../domain/money.ts';
import { createLog } from '../log.ts';
import { campaignReport } from '../reports/campaign-report.ts';
import { openServices } from '../runtime.ts';
import { readTruth } from '../sandbox/truth.ts';

/** Holds the latest campaign against the sandbox's own log, which knows nothing of the ledger. */
export async function compareWithTruth({
  config,
  truthFile,
}: {
  config: Config;
  truthFile: string;
}): Promise<string> {
  const services = await openServices(config, createLog({ level: 'error' }));
  try {
    const reader = await services.reader();
    const [latest] = await reader.campaigns();
    if (latest === undefined) return 'Nothing was launched.';
    const { messages, cost } = await campaignReport({
      reader,
      campaign: latest.campaign,
      now: services.clock.now(),
      reportWaitMs: config.reportWaitMs,
    });
    const truth = await readTruth(truthFile);
    const said = `${truth.acceptedCount} accepted, ${cost.currency} ${formatMoney(truth.chargedMicro)} charged`;
    const same = truth.acceptedCount === messages.sent && formatMoney(truth.chargedMicro) === cost.charged;
    return `The sandbox's own log says: ${said}. ${same ? 'The report says the same.' : 'THE REPORT SAYS OTHERWISE.'}`;
  } finally {
    await services.dispose();
  }
}

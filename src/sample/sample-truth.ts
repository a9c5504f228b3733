import type { Config } from '../config.ts';
import { formatMoney } from '../domain/money.ts';
import { createLog } from '../log.ts';
import { campaignReport } from '../reports/campaign-report.ts';
import { openServices } from '../runtime.ts';
import { type Truth, readTruth } from '../sandbox/truth.ts';

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
    return `The sandbox's own log says: ${said}. ${comparison(truth, { messages, cost })}`;
  } finally {
    await services.dispose();
  }
}

/** After a kill the sandbox may know of some messages what the report can only call uncertain. */
function comparison(
  truth: Truth,
  { messages, cost }: Pick<Awaited<ReturnType<typeof campaignReport>>, 'messages' | 'cost'>,
): string {
  const beyond = truth.acceptedCount - messages.sent;
  if (beyond === 0 && formatMoney(truth.chargedMicro) === cost.charged) return 'The report says the same.';
  if (beyond <= 0 || beyond > messages.uncertain) return 'THE REPORT SAYS OTHERWISE.';
  return `The report says the same, with ${beyond} of them among the ${messages.uncertain} that it calls uncertain.`;
}

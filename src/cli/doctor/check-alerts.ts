import { alertChannels } from '../../runtime/alerts.ts';
import { testAlertEndpoint, whyNotTaken } from '../../campaign/people/alert-endpoints.ts';
import { ledgerThere } from '../../config/ledger-there.ts';
import { collectAlerts } from '../../domain/alert.ts';
import { shownAddress } from '../../domain/alert-endpoint.ts';
import type { Context } from '../context.ts';
import type { Check } from './worded-checks.ts';

const NAME = 'test alert';

/** Sends a test alert by each channel of the settings, and to each address of a program. One check for each. */
export async function checkAlerts(context: Context): Promise<Check[]> {
  const tests = [...settingsTests(context), ...(await endpointTests(context))];
  if (tests.length === 0)
    return [
      {
        name: NAME,
        state: 'fail',
        detail: 'no way to reach you is set',
        hint: 'Set TUMA_ALERT_URL and TUMA_ALERT_SECRET, or TUMA_ALERT_MAIL and TUMA_SMTP_URL; or add an address on the page Alerts.',
      },
    ];
  return Promise.all(
    tests.map(async ({ channel, hint, test }): Promise<Check> => {
      const why = await test();
      if (why === null)
        return { name: NAME, state: 'ok', detail: `a test alert was taken by ${channel}`, hint: null };
      return { name: NAME, state: 'fail', detail: `${channel} failed: ${why}`, hint };
    }),
  );
}

interface ChannelTest {
  /** As the words name it. */
  channel: string;
  hint: string;
  /** Sends one. Null: it was taken; else why not. */
  test: () => Promise<string | null>;
}

function settingsTests({ config, clock }: Context): ChannelTest[] {
  const at = clock.now();
  const alert = collectAlerts([{ id: at, cause: 'test', at, campaign: null, facts: {} }]);
  return alertChannels(config).map((channel) => ({
    channel: `the ${channel.name} channel`,
    hint: `Check the settings of the ${channel.name} channel.`,
    test: () =>
      channel.send(alert).then(
        () => null,
        (error: unknown) => whyNotTaken(error),
      ),
  }));
}

async function endpointTests(context: Context): Promise<ChannelTest[]> {
  const { config, clock, postAlert: post } = context;
  if (!ledgerThere(config)) return [];
  const [ledger, reader] = [await context.ledger(), await context.reader()];
  return (await reader.alertEndpoints()).map(({ id, url }) => ({
    channel: shownAddress(url),
    hint: 'Mend the receiver, or remove its address on the page Alerts.',
    test: () => testAlertEndpoint({ ledger, clock, post }, id),
  }));
}

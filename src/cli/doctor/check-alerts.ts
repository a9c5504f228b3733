import { alertChannels } from '../../runtime/alerts.ts';
import { collectAlerts } from '../../domain/alert.ts';
import type { Context } from '../context.ts';
import type { Check } from './worded-checks.ts';

const NAME = 'alerts';

/** Sends a test alert by each channel of the settings. One check for each. */
export async function checkAlerts({ config, clock }: Context): Promise<Check[]> {
  const channels = alertChannels(config);
  if (channels.length === 0)
    return [
      {
        name: NAME,
        state: 'fail',
        detail: 'no way to reach you is set',
        hint: 'Set TUMA_ALERT_URL and TUMA_ALERT_SECRET, or TUMA_ALERT_MAIL and TUMA_SMTP_URL.',
      },
    ];
  const at = clock.now();
  return Promise.all(
    channels.map(async (channel): Promise<Check> => {
      const { name } = channel;
      try {
        await channel.send(collectAlerts([{ id: at, cause: 'test', at, campaign: null, facts: {} }]));
        return {
          name: NAME,
          state: 'ok',
          detail: `a test alert was taken by the ${name} channel`,
          hint: null,
        };
      } catch (error) {
        const detail = `the ${name} channel failed: ${(error as Error).message}`;
        return { name: NAME, state: 'fail', detail, hint: `Check the settings of the ${name} channel.` };
      }
    }),
  );
}

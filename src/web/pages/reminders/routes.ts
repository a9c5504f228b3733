import type { FastifyInstance } from 'fastify';
import { addDays } from '../../../domain/time/dates.ts';
import { localDate } from '../../../domain/time/local-time.ts';
import { calendarOf } from '../../../reports/calendar.ts';
import { formField } from '../../form-fields.ts';
import { answerPage } from '../../send-page.ts';
import type { WebEnv } from '../../web-env.ts';
import { type RemindersPage, remindersView } from './view.ts';

/** A month of four digits and two, as an address names it. */
const MONTH = /^20\d\d-(?:0[1-9]|1[0-2])$/;

/** The calendar of what comes. */
export function reminderRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/reminders', { config: { may: 'viewer' } }, async (request, reply) => {
    const asked = formField(request, 'month');
    const { zone } = env.config;
    const now = env.clock.now();
    const present = localDate(now, zone).slice(0, 7);
    const month = MONTH.test(asked) ? asked : present;
    const shown: RemindersPage = {
      ...(await calendarOf(await env.reader(), { month, zone, now })),
      before: addDays(`${month}-01`, -1).slice(0, 7),
      after: addDays(`${month}-01`, 31).slice(0, 7),
      present,
    };
    return answerPage(request, reply, {
      env,
      content: (frame) => ({ title: frame.words.reminders.title, main: remindersView(frame, shown) }),
    });
  });
}

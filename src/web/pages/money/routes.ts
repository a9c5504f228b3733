import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addDays } from '../../../domain/time/dates.ts';
import { localDate } from '../../../domain/time/local-time.ts';
import { figuresCsv } from '../../../reports/figures.ts';
import { accountStatement } from '../../../reports/statement.ts';
import { STATEMENT_LISTS, statementRows } from '../../../reports/statement-rows.ts';
import { type StatementSpan, statementSpan } from '../../../reports/statement-span.ts';
import { formField } from '../../form-fields.ts';
import { sendFile } from '../../send-file.ts';
import { answerPage } from '../../send-page.ts';
import type { FieldError } from '../../views/notice.ts';
import type { WebEnv } from '../../web-env.ts';
import { languageOf, type Words, wordsOf } from '../../words/words.ts';
import { moneyView, type MoneyPage } from './view.ts';
import { NoSuchPage } from '../../no-such-page.ts';

/** The statement of the accounts, and its lists as files. */
export function moneyRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/money', { config: { may: 'viewer' } }, async (request, reply) => {
    const span = spanIn(env, request);
    const isWrong = 'wrong' in span;
    const shown: MoneyPage = {
      from: span.from,
      to: span.to,
      months: monthsOf(localDate(env.clock.now(), env.config.zone)),
      errors: isWrong ? [errorOf(wordsOf(languageOf(request)), span)] : [],
      statement: isWrong ? null : await statementOf(env, span),
      networks: await env.networkNames(),
    };
    return answerPage(request, reply, {
      env,
      status: isWrong ? 422 : 200,
      content: (frame) => ({ title: frame.words.money.title, main: moneyView(frame, shown) }),
    });
  });
  app.get('/money.csv', { config: { may: 'operator' } }, async (request, reply) => {
    const by = formField(request, 'by');
    const span = spanIn(env, request);
    const list = STATEMENT_LISTS.find((each) => each === by);
    if (list === undefined || 'wrong' in span) throw new NoSuchPage();
    const content = figuresCsv(statementRows(await statementOf(env, span), list));
    return sendFile(reply, { name: `statement-by-${list}.csv`, content });
  });
}

function spanIn({ clock, config }: WebEnv, request: FastifyRequest): StatementSpan {
  const day = (name: string) => formField(request, name).slice(0, 40) || undefined;
  return statementSpan({ from: day('from'), to: day('to') }, { now: clock.now(), zone: config.zone });
}

async function statementOf(env: WebEnv, { from, to }: { from: string; to: string }) {
  const { zone, currency } = env.config;
  return accountStatement({ reader: await env.reader(), from, to, zone, currency });
}

function errorOf({ money }: Words, span: Extract<StatementSpan, { wrong: string }>): FieldError {
  const { wrong, why } = span;
  const message =
    why === 'no day' ? money.noDay(span[wrong]) : why === 'backwards' ? money.backwards : money.tooLong;
  return { field: wrong, message };
}

/** This month until today, and the whole month before it. */
function monthsOf(today: string): MoneyPage['months'] {
  const first = `${today.slice(0, 8)}01`;
  const before = addDays(first, -1);
  return [
    { from: first, to: today },
    { from: `${before.slice(0, 8)}01`, to: before },
  ];
}

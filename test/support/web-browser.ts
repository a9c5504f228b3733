import type { Role } from '../../src/domain/roles.ts';
import { digestOf, newSecret } from '../../src/campaign/people/secrets.ts';
import { addUser } from '../../src/campaign/people/users.ts';
import { cheapPassword } from './cheap-password.ts';
import type { WebHere } from './web-here.ts';

/** An answer to a browser. */
export interface Answer {
  status: number;
  text: string;
  headers: Record<string, unknown>;
  location: string | null;
}

/** One request of a browser, with what else it sends. */
export interface Asked {
  method?: string;
  headers?: Record<string, string>;
  fields?: Record<string, string>;
  /** The address that the request comes from. */
  from?: string;
}

/** A browser of the pages with a jar of cookies that a test can look into. */
export class WebBrowser {
  readonly cookies = new Map<string, string>();
  readonly #web: WebHere;
  readonly #host: string;

  constructor(web: WebHere, host = '127.0.0.1') {
    this.#web = web;
    this.#host = host;
  }

  async ask(
    url: string,
    { method = 'GET', headers = {}, fields, from = '127.0.0.1' }: Asked = {},
  ): Promise<Answer> {
    const answer = await this.#web.app.inject({
      method: method as 'GET',
      url,
      remoteAddress: from,
      headers: {
        host: this.#host,
        ...(fields === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      cookies: Object.fromEntries(this.cookies),
      ...(fields === undefined ? {} : { payload: new URLSearchParams(fields).toString() }),
    });
    for (const { name, value } of answer.cookies)
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    const { statusCode: status, payload: text } = answer;
    return { status, text, headers: answer.headers, location: answer.headers.location ?? null };
  }

  /** The token of the forms of a page. */
  async formToken(page: string): Promise<string> {
    return /name="_csrf" value="([^"]+)"/.exec((await this.ask(page)).text)?.[1] ?? '';
  }

  /** Sends a form with the token of the page where it stands. */
  async send(
    action: string,
    fields: Record<string, string>,
    page = action,
    asked: Asked = {},
  ): Promise<Answer> {
    const token = await this.formToken(page);
    return this.ask(action, { ...asked, method: 'POST', fields: { _csrf: token, ...fields } });
  }
}

/** The password of `makeUser`. */
export const PASSWORD = 'seven small boats';

/** Adds a user whose password is PASSWORD. */
export async function makeUser({ services }: WebHere, name: string, role: Role): Promise<void> {
  const [ledger, now] = [await services.ledger(), services.clock.now()];
  const { secret } = await addUser({ ledger, change: { now, by: 'operator otto' }, name, role });
  const session = { digest: newSecret().digest, endsAt: now + 1, replaces: null };
  const password = cheapPassword(PASSWORD);
  await ledger.setPassword({ link: digestOf(secret), password, session, now });
}

/** A browser in which that user has signed in. */
export async function signedIn(
  web: WebHere,
  name: string,
  browser = new WebBrowser(web),
): Promise<WebBrowser> {
  const answer = await browser.send('/sign-in', { user: name, password: PASSWORD, next: '/campaigns' });
  if (answer.status !== 303) throw new Error(`${name} was not signed in: ${answer.status}`);
  return browser;
}

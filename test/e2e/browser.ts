import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { atFileEnd } from '../support/file-end.ts';
import { ROOT } from '../support/processes.ts';
import { PATIENCE_MS } from '../support/wait-for.ts';

/* A real browser for the tests of the pages. It notices by itself whatever a page must not do. */

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const IN_PAGE = readFileSync(new URL('in-page.js', import.meta.url), 'utf8');
/** More stops than any page has. */
const MOST_STOPS = 400;
/** Set to make the pictures that the docs show anew. */
export const KEEPS_PICTURES = process.env['TUMA_TEST_PICTURES'] === 'on';

const found = findBrowser();

/** Why no test can use a browser here; null: it can. */
export const noBrowser: string | null =
  found === null ? `there is none of ${NAMES.join(', ')}, and CHROMIUM names none` : null;
if (noBrowser !== null) {
  if (process.env['TUMA_TEST_BROWSER'] === 'required')
    throw new Error(`TUMA_TEST_BROWSER=required, but ${noBrowser}`);
  console.log(`the tests in a browser are left out: ${noBrowser}`);
}

/** The two widths that every page is looked at in, in CSS pixels. */
export const WIDTHS = { desk: 1280, phone: 360 } as const;
const HEIGHTS = { 1280: 800, 360: 740 } as const;

/** How somebody looks at the pages. */
export interface Looking {
  /** 1280 by default. */
  width?: 1280 | 360;
  /** Light by default. */
  scheme?: 'light' | 'dark';
  /** False: the pages must do without JavaScript. */
  javaScript?: boolean;
  language?: 'en' | 'sw';
}

let running: Promise<Browser> | null = null;

atFileEnd(async () => {
  const browser = await running;
  running = null;
  await browser?.close();
});

/** A window of a browser of its own: its cookies are nobody else's. It is closed at the end of the file. */
export async function openWindow(origin: string, looking: Looking = {}): Promise<Window> {
  if (found === null) throw new Error('there is no browser here');
  running ??= chromium.launch({ executablePath: found, args: ['--no-sandbox', '--disable-gpu'] });
  const { width = WIDTHS.desk, scheme = 'light', javaScript = true, language = 'en' } = looking;
  const context = await (await running).newContext({
    baseURL: origin,
    viewport: { width, height: HEIGHTS[width] },
    colorScheme: scheme,
    javaScriptEnabled: javaScript,
    locale: language === 'sw' ? 'sw-KE' : 'en-GB',
  });
  context.setDefaultTimeout(PATIENCE_MS);
  return new Window(await context.newPage(), origin);
}

/** One page that is open, and what it did wrong up to now. */
export class Window {
  readonly page: Page;
  readonly #origin: string;
  readonly #wrong: string[] = [];

  constructor(page: Page, origin: string) {
    this.page = page;
    this.#origin = new URL(origin).origin;
    this.#listen();
  }

  get context(): BrowserContext {
    return this.page.context();
  }

  /** Opens an address of the origin, and answers its status. */
  async open(path: string): Promise<number> {
    const response = await this.page.goto(path, { waitUntil: 'load' });
    return response?.status() ?? 0;
  }

  /** Another window of the same person. */
  async another(): Promise<Window> {
    return new Window(await this.context.newPage(), this.#origin);
  }

  /** Console errors, refusals of the content policy, and requests to another host, since the window was opened. */
  wrong(): string[] {
    return [...this.#wrong];
  }

  /** Forgets what went wrong, for a test that made it go wrong. */
  forgive(): void {
    this.#wrong.length = 0;
  }

  /** What axe finds that is serious or critical, each as `rule: selector`. Needs JavaScript. */
  async axe(): Promise<string[]> {
    await this.page.evaluate(axe.source);
    const script = `axe.run(document, { resultTypes: ['violations'] })`;
    const { violations } = await this.page.evaluate<{ violations: axe.Result[] }>(script);
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
  }

  /** What moves the page sideways; none when it stays in place. */
  tooWide(): Promise<string[]> {
    return this.#look('tooWide()');
  }

  /** Buttons, fields and links outside of sentences that are smaller than `least` pixels. */
  smallTargets(least: number): Promise<string[]> {
    return this.#look(`smallTargets(${least})`);
  }

  /**
   * Goes through the page by Tab. `stops`: what had the focus, in turn. `wrong`: a step back in the order of the source, a
   * stop without a ring, and what could not be reached.
   */
  async tabOrder(): Promise<{ stops: string[]; wrong: string[] }> {
    const reachable = await this.#look<string[]>('reachable()');
    const stops: string[] = [];
    const wrong: string[] = [];
    const seen = new Set<number>();
    let last = -1;
    for (let presses = 0; presses < MOST_STOPS; presses += 1) {
      await this.page.keyboard.press('Tab');
      const focused = await this.#look<{ place: number; name: string; ring: boolean } | null>('focused()');
      // A field for a date has several stops of its own.
      if (focused !== null && focused.place === last && presses > 0) continue;
      if (focused === null || seen.has(focused.place)) break;
      seen.add(focused.place);
      if (focused.place < last) wrong.push(`${focused.name} comes after ${stops.at(-1)}`);
      if (!focused.ring) wrong.push(`${focused.name} shows no ring`);
      stops.push(focused.name);
      last = focused.place;
    }
    const missed = reachable.filter((name) => !stops.includes(name));
    return { stops, wrong: [...wrong, ...missed.map((name) => `${name} is not reached`)] };
  }

  /** Keeps a picture of the page for the docs, so many pixels from its top. */
  async picture(name: string, height: number): Promise<void> {
    const width = this.page.viewportSize()?.width ?? WIDTHS.desk;
    await this.page.setViewportSize({ width, height });
    await this.page.screenshot({ path: join(ROOT, `docs/images/${name}.png`), animations: 'disabled' });
  }

  async #look<Seen>(what: string): Promise<Seen> {
    return this.page.evaluate<Seen>(`${IN_PAGE}; tumaLook.${what}`);
  }

  #listen(): void {
    // A refusal of the content policy is an error on the console.
    this.page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        this.#wrong.push(`console: ${message.text()} (${message.location().url})`);
    });
    this.page.on('pageerror', (error) => this.#wrong.push(`error: ${error.message}`));
    this.page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.origin !== this.#origin && url.protocol !== 'blob:')
        this.#wrong.push(`foreign request: ${request.url()}`);
    });
    this.page.on('dialog', (dialog) => {
      this.#wrong.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  }
}

function findBrowser(): string | null {
  const named = process.env['CHROMIUM'];
  const candidates = named === undefined || named === '' ? NAMES : [named];
  for (const candidate of candidates) {
    const path = candidate.includes('/') ? candidate : which(candidate);
    if (path !== null && spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0) return path;
  }
  return null;
}

function which(name: string): string | null {
  const { status, stdout } = spawnSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

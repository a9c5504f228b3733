import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { tuma } from '../cli/command-line.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { makeTempDir } from '../support/temp-home.ts';

/* The HTML report in a real browser: nothing scrolls sideways, and it is one printed page. */

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome'];
const browser = BROWSERS.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
if (browser === undefined)
  console.log(`the tests in a browser are left out: there is none of ${BROWSERS.join(', ')}`);

/** A page that measures the report in a frame of each width. */
const MEASURE = `<!doctype html><body><script>
  for (const width of [360, 1280]) {
    const frame = document.createElement('iframe');
    frame.src = '/report.html';
    frame.style.width = width + 'px';
    frame.onload = () => {
      const page = frame.contentDocument.documentElement;
      document.body.append('[' + width + ' shows ' + page.scrollWidth + ' of ' + page.clientWidth + ']');
    };
    document.body.append(frame);
  }
</script></body>`;

async function chromium(args: string[]): Promise<string> {
  const own = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${makeTempDir()}`];
  const { stdout } = await promisify(execFile)(browser ?? '', [...own, ...args], { maxBuffer: 1e8 });
  return stdout;
}

test.skipIf(browser === undefined)(
  'the report has no sideways scroll at 360 and 1280 pixels, and is one printed page',
  async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({
      id: 'bf-1',
      name: 'a-campaign-with-a-name-that-is-rather-long',
      messages: 4,
    });
    await story.claim();
    await story.record(n, {
      1: { to: 'sent' },
      2: { to: 'sent' },
      3: { to: 'sent' },
      4: { to: 'uncertain' },
    });
    await story.report(`m${n}-1`, 'delivered');
    const out = join(makeTempDir(), 'report.html');
    const written = await tuma(['report', 'bf-1', '--out', out], { env: { TUMA_HOME: story.directory } });
    expect(written).toMatchObject({ code: 0 });
    const server = createServer((request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(request.url === '/report.html' ? readFileSync(out) : MEASURE);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const { port } = server.address() as AddressInfo;
    const shown = await chromium(['--dump-dom', '--virtual-time-budget=5000', `http://127.0.0.1:${port}/`]);
    const widths = [...shown.matchAll(/\[(\d+) shows (\d+) of (\d+)\]/g)].map((found) =>
      found.slice(1).map(Number),
    );
    expect(new Set(widths.map(([width]) => width))).toEqual(new Set([360, 1280]));
    for (const [width, needed = 0, visible = 0] of widths)
      expect(needed, `${width}`).toBeLessThanOrEqual(visible);

    const pdf = join(makeTempDir(), 'report.pdf');
    await chromium([
      '--no-pdf-header-footer',
      `--print-to-pdf=${pdf}`,
      `http://127.0.0.1:${port}/report.html`,
    ]);
    expect(readFileSync(pdf, 'latin1').match(/\/Type\s*\/Page\b(?!s)/g)).toHaveLength(1);
  },
);

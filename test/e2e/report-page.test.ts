import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tuma } from '../cli/command-line.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { noBrowser, openWindow, WIDTHS } from './browser.ts';

/* The HTML report in a real browser: nothing scrolls sideways, and it is one printed page. */

test.skipIf(noBrowser !== null)(
  'the report has no sideways scroll at 360 and 1280 pixels, nothing that axe finds, and is one printed page',
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
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(readFileSync(out));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const window = await openWindow(`http://127.0.0.1:${port}`);
    expect(await window.open('/report.html')).toBe(200);
    expect(await window.axe()).toEqual([]);
    for (const width of Object.values(WIDTHS)) {
      await window.page.setViewportSize({ width, height: 800 });
      expect(await window.tooWide(), `${width}`).toEqual([]);
    }
    const pdf = await window.page.pdf({ preferCSSPageSize: true });
    expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)).toHaveLength(1);
  },
);

import { chromium } from 'playwright-core';
const [, , url, link, out, width = '1280', scheme = 'light', waitMs = '3000'] = process.argv;
const b = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const p = await b.newPage({ viewport: { width: Number(width), height: 900 }, colorScheme: scheme });
p.on('console', (m) => console.log('console', m.type(), m.text()));
p.on('pageerror', (m) => console.log('pageerror', m));
await p.goto(link);
await p.goto(url);
const before = await p.textContent('#live-numbers').catch(() => null);
await p.waitForTimeout(Number(waitMs));
console.log(
  before !== (await p.textContent('#live-numbers').catch(() => null)) ? 'changed' : 'same',
  await p.evaluate(() => [document.documentElement.scrollWidth, innerWidth]),
);
await p.screenshot({ path: out, fullPage: true });
await b.close();

import { chromium } from 'playwright-core';
const [, , link, ...jobs] = process.argv;
const b = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
for (const job of jobs) {
  const [path, width, scheme, out] = job.split(',');
  const c = await b.newContext({
    viewport: { width: Number(width), height: 900 },
    colorScheme: scheme,
    locale: path.includes('SW') ? 'sw' : 'en',
  });
  const p = await c.newPage();
  p.on('console', (m) => console.log(path, 'console', m.type(), m.text()));
  p.on('pageerror', (m) => console.log(path, 'pageerror', m));
  await p.goto(link);
  await p.goto(new URL(path.replace('SW', ''), link).href);
  await p.waitForTimeout(1500);
  console.log(path, width, await p.evaluate(() => [document.documentElement.scrollWidth, innerWidth]));
  await p.screenshot({ path: out, fullPage: true });
  await c.close();
}
await b.close();

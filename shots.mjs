import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
const [,, link, ...paths] = process.argv;
const axe = readFileSync('node_modules/axe-core/axe.min.js','utf8');
const b = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
for (const [w, scheme] of [[1280,'light'],[360,'dark']]) {
  const p = await b.newPage({ viewport: { width: w, height: 800 }, colorScheme: scheme });
  p.on('console', (m) => console.log('console', m.type(), m.text()));
  await p.goto(link); if (process.env.SW && w === 360) { await p.goto(new URL('/campaigns', link).href); await p.locator('button[name=language]').click(); await p.waitForLoadState(); }
  for (const path of paths) {
    const [url, q] = path.split('|');
    await p.goto(new URL(url, link).href);
    if (q) { const [sel, text] = q.split('='); await p.locator('main').locator(sel).fill(text); await p.locator('main').locator(sel).press('Enter'); await p.waitForLoadState(); }
    const wide = await p.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) console.log('SIDEWAYS', path, w, wide);
    await p.evaluate(axe + ';0'); const r = await p.evaluate(() => axe.run(document)); for (const v of r.violations) console.log('AXE', path, w, v.impact, v.id, v.nodes.map(n=>n.html.slice(0,120)).slice(0,2).join(' || '));
    await p.screenshot({ path: `shot-${url.replace(/\W+/g,'_')}-${w}.png`, fullPage: true });
  }
  await p.close();
}
await b.close();

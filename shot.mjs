import { chromium } from 'playwright-core';
const [,, url, out, width='1280', scheme='light'] = process.argv;
const b = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const p = await b.newPage({ viewport: { width: Number(width), height: 900 }, colorScheme: scheme });
p.on('console', (m) => console.log('console', m.type(), m.text()));
await p.goto(url); 
if (process.argv[6]) await p.goto(process.argv[6]);
await p.screenshot({ path: out, fullPage: true });
await b.close();

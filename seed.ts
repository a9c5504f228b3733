import { resolveConfig } from './src/config/config.ts';
import { openServices } from './src/runtime/services.ts';
import { makeWebServer } from './src/web/server.ts';
import { addUser } from './src/campaign/people/users.ts';
import { addToken } from './src/campaign/people/tokens.ts';
import { homeLink } from './src/config/dashboard-token.ts';
const home = process.argv[2]!;
const config = resolveConfig({ cwd: home, env: { TUMA_HOME: home, TUMA_DASHBOARD_PORT: '18099' } });
const log: any = { info(){}, warn(){}, error: console.error, debug(){} };
const services = await openServices(config, log);
const ledger = await services.ledger();
const app = await makeWebServer({ host: '127.0.0.1', port: 18099, token: null, render: async () => ({ contentType: 'text/plain', body: '' }), env: services });
await app.listen({ host: '127.0.0.1', port: 18099 });
const change = { now: Date.now(), by: 'operator otto' };
await addToken({ ledger, change, name: 'billing', role: 'operator', owners: [] });
if (process.argv[3] === 'users') { const l = await addUser({ ledger, change, name: 'peter.kamau', role: 'admin' }); await addUser({ ledger, change, name: 'mary@example.org', role: 'operator' }); console.log('http://127.0.0.1:18099/password?link=' + l.secret); }
else console.log(await homeLink(config, 'http://127.0.0.1:18099'));
setTimeout(() => process.exit(0), 600_000);

import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, posix } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { resolveConfig } from '../../src/config/config.ts';
import { refuseOpenDashboard } from '../../src/config/relations.ts';
import { pages, readPage } from '../support/markdown.ts';
import { freePort } from '../support/free-port.ts';
import { ROOT, startProcess } from '../support/processes.ts';

/* What docs say of Docker, held against the Dockerfile and docker-compose.yml: nobody starts a container here. */

const IMAGE = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
const COMPOSE = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
const { services } = parse(COMPOSE) as {
  services: { tuma: { volumes: string[]; environment: Record<string, string | number> } };
};
const MOUNTS = services.tuma.volumes.map((mount) => mount.split(':') as [source: string, target: string]);
/** Where commands run. */
const WORK = lastOf('WORKDIR');

function lastOf(instruction: string): string {
  return [...IMAGE.matchAll(new RegExp(`^${instruction} (.+)$`, 'gm'))].at(-1)?.[1] ?? '';
}

/** The file of the project that a path in the container means; null: none of them. */
function inProject(path: string): string | null {
  const [source, target] =
    MOUNTS.find(([from, to]) => from.startsWith('.') && path.startsWith(`${to}/`)) ?? [];
  return source === undefined || target === undefined ? null : join(ROOT, source, path.slice(target.length));
}

/** The jobs that are launched by commands of the pages and of docker-compose.yml. */
function launchedJobs(): string[] {
  const texts = [COMPOSE, ...pages().map(readPage)];
  const commands = texts.flatMap((text) => [...text.matchAll(/docker compose exec tuma tuma launch (\S+)/g)]);
  return commands.map(([, job = '']) => posix.resolve(WORK, job));
}

test('commands run in the volume, which is the user’s: what they write is taken, and stays', () => {
  expect(WORK).toBe(lastOf('VOLUME'));
  expect(MOUNTS.map(([, target]) => target)).toContain(WORK);
  expect(IMAGE).toContain(`chown ${lastOf('USER')}:${lastOf('USER')} ${WORK} `);
});

test('what was sent is noted in a volume of its own, which is the user’s and is not the ledger’s', () => {
  const state = String(services.tuma.environment['XDG_STATE_HOME']);
  expect(IMAGE).toContain(`ENV XDG_STATE_HOME=${state}\n`);
  expect(IMAGE).toContain(`VOLUME ${state}\n`);
  expect(IMAGE).toMatch(new RegExp(`chown node:node .*${state} && chmod 700 .*${state} `));
  expect(MOUNTS).toContainEqual(['state', state]);
  expect(state.startsWith(WORK)).toBe(false);
});

test('the health of the container is that of the collector', async () => {
  const [, command = ''] = /HEALTHCHECK .*\\\n {2}CMD (\[.*\])\n/.exec(IMAGE) ?? [];
  const [node, ...args] = JSON.parse(command) as string[];
  expect(node).toBe('node');
  const status = { now: 200 };
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(status.now).end();
  });
  const port = await freePort();
  const health = () =>
    startProcess(process.execPath, args, { cwd: '/', env: { TUMA_PORT: String(port) } }).exited;
  expect((await health()).code).toBe(1);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  expect((await health()).code).toBe(0);
  status.now = 503;
  expect((await health()).code).toBe(1);
  expect(asked).toEqual(['/health', '/health']);
});

test('the jobs that the pages launch are there, with their templates and contacts', () => {
  expect(launchedJobs().length).toBeGreaterThan(1);
  for (const job of launchedJobs()) {
    const file = inProject(job);
    expect(file, job).not.toBeNull();
    const { template, contacts } = parse(readFileSync(file ?? '', 'utf8')) as Record<string, string>;
    for (const named of [template, contacts]) {
      const path = posix.resolve(posix.dirname(job), named ?? '');
      expect(existsSync(inProject(path) ?? ''), path).toBe(true);
    }
  }
});

test.each([
  { url: '', host: '127.0.0.1' },
  { url: 'https://tuma.example.org', host: '0.0.0.0' },
])('its settings are taken, and the pages listen on $host with the address "$url" [X21]', ({ url, host }) => {
  // As compose fills them in, of these two forms only.
  const filled = Object.entries(services.tuma.environment).map(([name, value]) => [
    name,
    String(value)
      .replace(/\$\{TUMA_PUBLIC_DASHBOARD_URL:\+(.*)\}/, url === '' ? '' : '$1')
      .replace(/\$\{(\w+):-(.*)\}/, '$2'),
  ]);
  // What else .env holds comes by `env_file`.
  const inFile = { TUMA_PUBLIC_DASHBOARD_URL: url, TUMA_TRUSTED_PROXIES: '172.16.0.0/12' };
  const env = { ...(Object.fromEntries(filled) as Record<string, string>), ...inFile };
  const config = resolveConfig({ cwd: '/data', env });
  expect(config.dashboardHost).toBe(host);
  expect(() => refuseOpenDashboard(config)).not.toThrow();
});

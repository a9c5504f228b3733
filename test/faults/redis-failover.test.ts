import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/processes.ts';
import {
  keyHolder,
  makeCertificates,
  startCluster,
  startSentinels,
  startTlsRedis,
} from '../support/redis-forms.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countState } from './check.ts';
import { ended, openStage, type Stage } from './harness.ts';
import { launchFor } from './orders.ts';

test('two workers behind Sentinels: the primary is lost in the midst of a campaign, which loses and repeats nothing [R7]', async () => {
  const { primary, replica, sentinels } = await startSentinels();
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const env = { TUMA_REDIS_URL: `redis+sentinel://${hosts}/office`, TUMA_RATE: '100/s' };
  const stage = await openStage({ sandboxHere: true, contacts: 900, env });
  await launchFor(stage);
  const workers = [stage.serve('worker,collector'), stage.serve('worker')];
  await stage.provider.accepted(200);
  await primary.kill();
  await waitFor(async () => String(await replica.command('INFO', 'replication')).includes('role:master'), {
    what: 'the replica to be the primary',
  });
  const fetches = async () =>
    String(await replica.command('INFO', 'commandstats')).includes('cmdstat_evalsha:');
  await waitFor(fetches, { what: 'the workers to take jobs from the new primary' });
  expect(countState(stage, 'sent')).toBeLessThan(900);
  await waitFor(() => countState(stage, 'sent') === 900, { what: '900 sent' });
  await Promise.all(workers.map((worker) => worker.stop('SIGTERM')));
  for (const worker of workers) expect((await worker.exited).code).toBe(0);
  expect(await checkRun(stage, { kills: 0 })).toMatchObject({ accepted: 900, uncertain: 0 });
});

test('a cluster with TLS and the user of deploy/redis-acl.conf: the node of the queue is lost, and comes back empty [R1 X11]', async () => {
  const office = await makeCertificates();
  const [rights, password] = [join(makeTempDir(), 'rights.conf'), join(makeTempDir(), 'password')];
  const file = readFileSync(join(ROOT, 'deploy/redis-acl.conf'), 'utf8');
  writeFileSync(rights, file.replace('>PASSWORD', '>right-CANARY'));
  writeFileSync(password, 'right-CANARY\n', { mode: 0o600 });
  const nodes = await startCluster((args = []) =>
    startTlsRedis(office, ['--tls-cluster', 'yes', '--include', rights, ...args]),
  );
  const env = {
    TUMA_REDIS_URL: `rediss+cluster://tuma@${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    TUMA_REDIS_PASSWORD_FILE: password,
    TUMA_REDIS_CA_FILE: office.ca,
    TUMA_REDIS_CERT_FILE: office.cert,
    TUMA_REDIS_KEY_FILE: office.key,
    TUMA_RATE: '100/s',
  };
  const stage = await openStage({ sandboxHere: true, contacts: 600, env });
  await launchFor(stage);
  const wrong = join(makeTempDir(), 'password');
  writeFileSync(wrong, 'wrong-CANARY\n', { mode: 0o600 });
  const refused = await ended(stage.serve('worker', { env: { TUMA_REDIS_PASSWORD_FILE: wrong } }));
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('Redis refuses the user or the password (the cluster '),
  ]);
  expect(refused.stderr).not.toContain('CANARY');
  expect(await redisFinding(stage, {})).toMatchObject({ state: 'ok' });
  expect(await redisFinding(stage, { TUMA_REDIS_CA_FILE: (await makeCertificates()).ca })).toMatchObject({
    state: 'fail',
    detail: expect.stringContaining('The certificate of Redis is not trusted'),
  });
  for (const node of nodes) await node.command('ACL', 'LOG', 'RESET');
  const worker = stage.serve('worker,collector');
  await stage.provider.accepted(200);
  const holder = await keyHolder(nodes);
  await holder.kill();
  await worker.printed(/sending waits for it/);
  await holder.start();
  await waitFor(() => countState(stage, 'sent') === 600, { what: '600 sent' });
  // None of its commands was refused.
  for (const node of nodes) expect(await node.command('ACL', 'LOG')).toEqual([]);
  await worker.stop('SIGTERM');
  expect((await worker.exited).code).toBe(0);
  expect(worker.stderr()).not.toContain('CANARY');
  expect(await checkRun(stage, { kills: 0 })).toMatchObject({ accepted: 600, uncertain: 0 });
});

/** What `tuma doctor` says of Redis. */
async function redisFinding(stage: Stage, env: Record<string, string>): Promise<unknown> {
  const { document } = await stage.tuma(['doctor'], { env });
  const checks = document?.['checks'] as { name: string }[] | undefined;
  return checks?.find(({ name }) => name === 'redis');
}

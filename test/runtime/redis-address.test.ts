import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/config.ts';
import { showAddress } from '../../src/queue/redis-address.ts';
import { configuredRedis } from '../../src/runtime/redis-address.ts';
import { makeCertificates } from '../support/redis-forms.ts';
import { makeTempDir } from '../support/temp-home.ts';

const address = (env: Record<string, string>) => configuredRedis(resolveConfig({ cwd: '/', env }));

function fileOf(text: string): string {
  const file = join(makeTempDir(), 'file');
  writeFileSync(file, text);
  return file;
}

test('an address becomes the options of ioredis, and people see it without user and password', async () => {
  const sentinelPassword = fileOf('sentinel-CANARY\r\n');
  const sentinels = await address({
    TUMA_REDIS_URL: 'rediss+sentinel://tuma:CANARY@a,b/office/1',
    TUMA_REDIS_SENTINEL_PASSWORD_FILE: sentinelPassword,
  });
  expect(sentinels).toEqual({
    sentinels: [
      { host: 'a', port: 26_379 },
      { host: 'b', port: 26_379 },
    ],
    name: 'office',
    username: 'tuma',
    password: 'CANARY',
    sentinelPassword: 'sentinel-CANARY',
    db: 1,
    tls: {},
    sentinelTLS: {},
    enableTLSForSentinelMode: true,
  });
  const [cluster, named, numbered, socket] = [
    await address({ TUMA_REDIS_URL: 'redis+cluster://:CANARY@a,b' }),
    await address({ TUMA_REDIS_URL: 'rediss://:CANARY@queue' }),
    await address({ TUMA_REDIS_URL: 'rediss://:CANARY@127.0.0.1' }),
    await address({ TUMA_REDIS_URL: 'unix://:CANARY@localhost/redis.sock' }),
  ];
  // The name goes along only where it is one: TLS allows no address there.
  expect([named?.tls, numbered?.tls]).toEqual([{ servername: 'queue' }, {}]);
  const shown = [sentinels, cluster, named, socket].map((each) => showAddress(each ?? {}));
  expect(shown).toEqual([
    '"office" of the Sentinels a:26379, b:26379',
    'the cluster a:6379, b:6379',
    'queue:6379',
    '/redis.sock',
  ]);
});

test('a file that does not hold what its setting says is refused by name, and nothing of it is shown', async () => {
  const [office, stranger] = [await makeCertificates(), await makeCertificates()];
  const url = 'rediss://tuma@queue';
  const password = fileOf('CANARY');
  const wrong: [Record<string, string>, string][] = [
    [
      { TUMA_REDIS_PASSWORD_FILE: '/nonexistent' },
      'TUMA_REDIS_PASSWORD_FILE: /nonexistent cannot be read (ENOENT).',
    ],
    [{ TUMA_REDIS_PASSWORD_FILE: fileOf('\n') }, 'must hold a password in one line.'],
    [{ TUMA_REDIS_PASSWORD_FILE: fileOf('CANARY\nCANARY\n') }, 'must hold a password in one line.'],
    [{ TUMA_REDIS_CA_FILE: fileOf('CANARY') }, 'must hold a certificate in PEM.'],
    [
      { TUMA_REDIS_CERT_FILE: office.cert, TUMA_REDIS_KEY_FILE: stranger.key },
      'must hold the private key of TUMA_REDIS_CERT_FILE, in PEM and without a password.',
    ],
    [
      { TUMA_REDIS_CERT_FILE: office.cert, TUMA_REDIS_KEY_FILE: fileOf('CANARY') },
      'must hold the private key of TUMA_REDIS_CERT_FILE, in PEM and without a password.',
    ],
  ];
  for (const [env, problem] of wrong) {
    const failure = await address({
      TUMA_REDIS_URL: url,
      TUMA_REDIS_PASSWORD_FILE: password,
      ...env,
    }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining(problem),
      where: Object.keys(env).at(-1),
    });
    expect(inspect(failure, { depth: 10 })).not.toContain('CANARY');
  }
});

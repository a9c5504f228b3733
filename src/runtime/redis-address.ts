import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Config } from '../config/config.ts';
import { readRedisUrl, type RedisUrl } from '../config/redis-url.ts';
import { passwordIn } from '../config/secret.ts';
import type { SettingName } from '../config/schema.ts';
import { TumaError } from '../domain/errors.ts';
import type { RedisAddress } from '../queue/redis-address.ts';

/**
 * The address of the configured Redis, with its password and its certificates, which are read now; null: a private
 * Redis. Throws config_invalid for a file that does not hold what its setting says; never with a part of it.
 */
export async function configuredRedis(
  config: Pick<Config, 'redisUrl' | 'redisFiles'>,
): Promise<RedisAddress | null> {
  const { redisUrl, redisFiles: files } = config;
  if (redisUrl === null) return null;
  const url = readRedisUrl(redisUrl.reveal());
  if ('problem' in url) throw new TumaError('config_invalid', { message: `TUMA_REDIS_URL ${url.problem}.` });
  const { username, db, tls } = url.value;
  const password = url.value.password ?? (await passwordOf('TUMA_REDIS_PASSWORD_FILE', files.password));
  const secure = tls ? await certificates(files) : null;
  const sentinelPassword = await passwordOf('TUMA_REDIS_SENTINEL_PASSWORD_FILE', files.sentinelPassword);
  return {
    ...placeOf(url.value, secure),
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    ...(db === null ? {} : { db }),
  };
}

function placeOf({ kind, path, nodes, service }: RedisUrl, tls: ConnectionOptions | null): RedisAddress {
  if (path !== null) return { path };
  if (kind === 'cluster') return { cluster: nodes, ...(tls === null ? {} : { tls }) };
  if (kind === 'sentinel') {
    const secure = tls === null ? {} : { tls, sentinelTLS: tls, enableTLSForSentinelMode: true };
    return { sentinels: nodes, name: service ?? '', ...secure };
  }
  const [{ host, port } = { host: '', port: 0 }] = nodes;
  return {
    host,
    port,
    ...(tls === null ? {} : { tls: { ...tls, ...(isIP(host) > 0 ? {} : { servername: host }) } }),
  };
}

async function passwordOf(name: SettingName, file: string | null): Promise<string | null> {
  const text = await textIn(name, file);
  if (text === null) return null;
  const password = passwordIn(text);
  if (password === null) throw wrongFile(name, file, 'must hold a password in one line');
  return password;
}

async function certificates(files: Config['redisFiles']): Promise<ConnectionOptions> {
  const ca = await textIn('TUMA_REDIS_CA_FILE', files.ca);
  const cert = await textIn('TUMA_REDIS_CERT_FILE', files.cert);
  const key = await textIn('TUMA_REDIS_KEY_FILE', files.key);
  if (ca !== null) certificateIn('TUMA_REDIS_CA_FILE', files.ca, ca);
  if (cert === null || key === null) return ca === null ? {} : { ca };
  const shown = certificateIn('TUMA_REDIS_CERT_FILE', files.cert, cert);
  if (!fits(shown, key)) {
    const words = 'must hold the private key of TUMA_REDIS_CERT_FILE, in PEM and without a password';
    throw wrongFile('TUMA_REDIS_KEY_FILE', files.key, words);
  }
  return { cert, key, ...(ca === null ? {} : { ca }) };
}

function certificateIn(name: SettingName, file: string | null, text: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch {
    throw wrongFile(name, file, 'must hold a certificate in PEM');
  }
}

function fits(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

async function textIn(name: SettingName, file: string | null): Promise<string | null> {
  if (file === null) return null;
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw wrongFile(name, file, `cannot be read (${code})`);
  }
}

function wrongFile(name: SettingName, file: string | null, words: string): TumaError {
  const message = `${name}: ${file} ${words}.`;
  return new TumaError('config_invalid', {
    message,
    hint: 'docs/redis.md says what belongs there.',
    where: name,
  });
}

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RedisNode } from '../../src/queue/redis-address.ts';
import { freePort } from './free-port.ts';
import { startRedis, type TestRedis } from './redis.ts';
import { makeTempDir } from './temp-home.ts';
import { waitFor } from './wait-for.ts';

/* The forms in which an office runs Redis for many machines: with TLS, behind Sentinels, as a cluster. */

const openssl = (...args: string[]) => promisify(execFile)('openssl', args);

/** The files of a CA of one's own, and of a certificate for this machine that it has signed. */
export interface Certificates {
  ca: string;
  cert: string;
  key: string;
}

/** Makes a CA and a certificate for `name` (an address or a host). */
export async function makeCertificates(name = 'IP:127.0.0.1,DNS:localhost'): Promise<Certificates> {
  const folder = makeTempDir();
  const file = (of: string) => join(folder, of);
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-days', '2'];
  const [ca, caKey, cert, key, request] = ['ca.pem', 'ca.key', 'cert.pem', 'key.pem', 'request'].map(file);
  writeFileSync(file('names'), `subjectAltName=${name}\n`);
  await openssl('req', '-x509', ...fresh, '-keyout', caKey!, '-out', ca!, '-subj', '/CN=Office CA');
  await openssl('req', ...fresh, '-keyout', key!, '-out', request!, '-subj', '/CN=office');
  const signing = ['-CA', ca!, '-CAkey', caKey!, '-CAcreateserial', '-days', '2'];
  await openssl('x509', '-req', '-in', request!, ...signing, '-extfile', file('names'), '-out', cert!);
  return { ca: ca!, cert: cert!, key: key! };
}

/** A Redis, and the port of 127.0.0.1 at which it listens. */
export interface PortRedis extends TestRedis {
  port: number;
}

/** A Redis of this machine with a port. */
export async function startPortRedis(args: string[] = []): Promise<PortRedis> {
  const port = await freePort();
  // A replica writes what it got into its folder.
  const own = ['--port', String(port), '--dir', makeTempDir()];
  const redis = await startRedis({ here: true, args: [...own, ...args] });
  return { ...redis, port };
}

/** A Redis that listens with TLS alone, and wants the certificate of a client. */
export async function startTlsRedis(
  { ca, cert, key }: Certificates,
  args: string[] = [],
): Promise<PortRedis> {
  const port = await freePort();
  const files = ['--tls-ca-cert-file', ca, '--tls-cert-file', cert, '--tls-key-file', key];
  const redis = await startRedis({ here: true, args: ['--tls-port', String(port), ...files, ...args] });
  return { ...redis, port };
}

/** A primary, its replica, and Sentinels that make the replica the primary soon after the primary is gone. */
export interface SentinelGroup {
  /** The name that the Sentinels know. */
  name: string;
  primary: PortRedis;
  replica: PortRedis;
  sentinels: PortRedis[];
}

/** Starts one primary, one replica and three Sentinels. */
export async function startSentinels(): Promise<SentinelGroup> {
  const primary = await startPortRedis();
  const replica = await startPortRedis(['--replicaof', '127.0.0.1', String(primary.port)]);
  const isInStep = async () =>
    String(await replica.command('INFO', 'replication')).includes('master_link_status:up');
  await waitFor(isInStep, { what: 'the replica to be in step' });
  const sentinels = await Promise.all([1, 2, 3].map(() => startSentinel(primary.port)));
  await waitFor(
    async () => {
      const known = await Promise.all(
        sentinels.map((each) => each.command('SENTINEL', 'CKQUORUM', 'office').then(String, String)),
      );
      const replicas = await Promise.all(
        sentinels.map((each) => each.command('SENTINEL', 'REPLICAS', 'office')),
      );
      return (
        known.every((words) => words.startsWith('OK 3')) &&
        replicas.every((each) => (each as unknown[]).length === 1)
      );
    },
    { what: 'the Sentinels to know each other and the replica' },
  );
  return { name: 'office', primary, replica, sentinels };
}

async function startSentinel(primary: number): Promise<PortRedis> {
  const [folder, port] = [makeTempDir(), await freePort()];
  const file = join(folder, 'sentinel.conf');
  writeFileSync(
    file,
    [
      `dir ${folder}`,
      `sentinel monitor office 127.0.0.1 ${primary} 2`,
      'sentinel down-after-milliseconds office 1000',
      'sentinel failover-timeout office 6000',
    ].join('\n'),
  );
  const redis = await startRedis({ file, args: ['--port', String(port), '--sentinel'] });
  return { ...redis, port };
}

/** Three primaries that share the slots among them; `start` makes a node with these further settings. */
export async function startCluster(start = startPortRedis): Promise<PortRedis[]> {
  const nodes = await Promise.all([1, 2, 3].map(() => startClusterNode(start)));
  const [first, ...others] = nodes as [ClusterNode, ...ClusterNode[]];
  const shares = [0, 5_461, 10_923, 16_384];
  for (const [index, node] of nodes.entries())
    await node.command('CLUSTER', 'ADDSLOTSRANGE', shares[index]!, shares[index + 1]! - 1);
  for (const { port, busPort } of others) await first.command('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
  await waitFor(() => allSay(nodes, 'cluster_state:ok', 'cluster_known_nodes:3'), { what: 'the cluster' });
  return nodes;
}

/** Whether CLUSTER INFO of each node has all of these words. */
export async function allSay(nodes: PortRedis[], ...words: string[]): Promise<boolean> {
  const infos = await Promise.all(nodes.map(async (node) => String(await node.command('CLUSTER', 'INFO'))));
  return infos.every((info) => words.every((word) => info.includes(word)));
}

/** The nodes of a cluster as an address has them. */
export function clusterAddress(nodes: PortRedis[]): { cluster: RedisNode[] } {
  return { cluster: nodes.map(({ port }) => ({ host: '127.0.0.1', port })) };
}

interface ClusterNode extends PortRedis {
  busPort: number;
}

async function startClusterNode(start: typeof startPortRedis): Promise<ClusterNode> {
  const busPort = await freePort();
  const own = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort), '--dir', makeTempDir()];
  return { ...(await start(own)), busPort };
}

/** The node of a cluster that holds the keys of the queue. */
export async function keyHolder(nodes: PortRedis[]): Promise<PortRedis> {
  for (const node of nodes)
    if (((await node.command('KEYS', '{tuma}:*')) as string[]).length > 0) return node;
  throw new Error('no node holds keys of the queue');
}

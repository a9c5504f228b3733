import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Ajv } from 'ajv';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SETTING_NAMES } from '../src/config/schema.ts';
import { ROOT } from './support/processes.ts';
import { makeTempDir } from './support/temp-home.ts';

/* The examples for many machines: well formed by the schemas of their tools, and with settings that Tuma takes. */

/** What a process that strangers reach must not be given. */
const NOT_FOR_STRANGERS = /API_|REDIS|MESSAGING|SMTP|ALERT|DASHBOARD/;
const SETTINGS = new Set<string>([...SETTING_NAMES, 'XDG_STATE_HOME']);

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface ComposeService {
  profiles?: string[];
  environment?: Record<string, unknown>;
  env_file?: unknown;
  command?: string[];
}

test('docker-compose.yml is one by the schema of the Compose specification', () => {
  const schema = JSON.parse(read('node_modules/dclint/schemas/compose.schema.json')) as object;
  const { $schema: _, ...rules } = schema as Record<string, unknown>;
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(rules);
  const compose = parse(read('docker-compose.yml')) as Record<string, object>;
  expect(validate(compose), JSON.stringify(validate.errors)).toBe(true);
  expect(validate({ ...compose, services: { tuma: { imagee: 'tuma' } } })).toBe(false);
});

test('each service of Tuma in docker-compose.yml gets settings that there are, and the collector no key', () => {
  const { services } = parse(read('docker-compose.yml')) as { services: Record<string, ComposeService> };
  for (const name of ['tuma', 'migrate', 'worker', 'web', 'collector'])
    for (const setting of Object.keys(services[name]?.environment ?? {})) expect(SETTINGS).toContain(setting);
  const { collector } = services;
  expect(Object.keys(collector?.environment ?? {}).filter((name) => NOT_FOR_STRANGERS.test(name))).toEqual(
    [],
  );
  expect(collector).not.toHaveProperty('env_file');
  const roles = ['worker', 'web', 'collector'].map((name) => services[name]?.command?.at(-1));
  expect(roles).toEqual(['worker', 'web', 'collector']);
});

interface Container {
  args: string[];
  env?: { name: string }[];
  envFrom?: unknown[];
}
interface Manifest {
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec: { template: { spec: { containers: Container[] } } };
}

const KINDS = { ConfigMap, Deployment, Job, PodDisruptionBudget, Service, StatefulSet };

const manifests = () =>
  parseAllDocuments(read('deploy/kubernetes.yaml')).map((each) => each.toJS() as Manifest);

test('deploy/kubernetes.yaml is taken by the schemas of its kinds', () => {
  const all = manifests();
  expect(all.length).toBeGreaterThan(7);
  for (const manifest of all) {
    const kind = KINDS[manifest.kind as keyof typeof KINDS];
    expect(() => new kind(manifest as never).validate(), manifest.metadata.name).not.toThrow();
  }
  const [wrong] = all.filter(({ kind }) => kind === 'Deployment');
  expect(() => new Deployment({ ...wrong, spec: { replicas: 'two' } } as never).validate()).toThrow(
    'replicas',
  );
});

test('each container of deploy/kubernetes.yaml gets settings that there are, and the collector no key', () => {
  const settings = manifests().flatMap(({ kind, data, spec }) =>
    kind === 'ConfigMap'
      ? Object.keys(data ?? {})
      : (spec.template?.spec.containers ?? []).flatMap(({ env = [] }) => env.map(({ name }) => name)),
  );
  expect(settings.length).toBeGreaterThan(15);
  expect(settings.filter((name) => !SETTINGS.has(name))).toEqual([]);
  const collector = manifests().find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'collector',
  );
  const [container] = collector?.spec.template.spec.containers ?? [];
  expect(container?.args).toEqual(['serve', '--role', 'collector']);
  expect(container?.envFrom).toBeUndefined();
  expect(container?.env?.filter(({ name }) => NOT_FOR_STRANGERS.test(name))).toEqual([]);
});

const analyses = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!analyses) console.log('the units are not analysed: there is no systemd-analyze');
const UNITS = globSync('deploy/systemd/*.service', { cwd: ROOT }).map((path) => basename(path));

test.skipIf(!analyses)(
  'systemd takes the units of deploy/systemd, and calls their exposure at most 2.0',
  () => {
    expect(UNITS.toSorted()).toEqual(['tuma-collector.service', 'tuma-web.service', 'tuma-worker@.service']);
    const folder = makeTempDir();
    cpSync(join(ROOT, 'deploy/systemd'), folder, { recursive: true });
    const env = { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` };
    const analyze = (...words: string[]) =>
      spawnSync('systemd-analyze', words, { encoding: 'utf8', cwd: folder, env });
    for (const unit of UNITS) {
      writeFileSync(
        join(folder, unit),
        read(`deploy/systemd/${unit}`).replace('/opt/tuma/bin/tuma', join(ROOT, 'bin/tuma')),
      );
      const { stderr, status } = analyze('verify', join(folder, unit.replace('@.', '@1.')));
      expect(stderr).toBe('');
      expect(status).toBe(0);
      const { stdout } = analyze('security', '--offline=true', join(folder, unit));
      expect(Number(/exposure level for \S+: (\d+\.\d+)/.exec(stdout)?.[1]), unit).toBeLessThanOrEqual(2);
    }
  },
);

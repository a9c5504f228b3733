import { createRequire } from 'node:module';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, expect, test } from 'vitest';
import { makeTempDir } from '../support/temp-home.ts';
import { WebHere } from '../support/web-here.ts';

interface OpenApi {
  openapi: string;
  paths: Record<string, Record<string, object>>;
  components: { schemas: Record<string, object> };
}

/** The second validator is a part of the first. */
const { default: Ajv } = createRequire(import.meta.resolve('@seriousme/openapi-schema-validator'))(
  'ajv/dist/2020.js',
) as { default: new (options: object) => { validateSchema(schema: object): boolean } };

let web: WebHere;
let document: OpenApi;

beforeAll(async () => {
  web = await (await WebHere.open(makeTempDir())).signIn();
  document = JSON.parse((await web.get('/api/v1/openapi.json')).text) as OpenApi;
});

test('docs/openapi.json is the document of the code (vitest -u writes it anew)', async () => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('../../docs/openapi.json');
});

test('the document is valid OpenAPI 3.1 for a validator of the whole', async () => {
  const result = await new Validator().validate(structuredClone(document) as never);
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
  expect(document.openapi).toMatch(/^3\.1/);
});

test('every schema in it is valid JSON Schema 2020-12, which nonsense is not', () => {
  const ajv = new Ajv({ strict: false });
  const isSchema = (schema: object) => ajv.validateSchema(schema);
  const schemas = [...Object.values(document.components.schemas), ...schemasIn(document.paths)];
  expect(schemas.length).toBeGreaterThan(50);
  for (const schema of schemas) expect(isSchema(schema), JSON.stringify(schema)).toBe(true);
  expect(isSchema({ type: 'nonsense' })).toBe(false);
});

test('every reference in it has its target, and every operation a name of its own', () => {
  const text = JSON.stringify(document);
  for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
    expect(Object.keys(document.components.schemas)).toContain(name);
  const names = [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, name]) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('the same document is at the root, where programs look first', async () => {
  expect(JSON.parse((await web.get('/openapi.json')).text)).toEqual(document);
});

/** All values below a key `schema`. */
function schemasIn(part: unknown): object[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => [
    ...(key === 'schema' && typeof value === 'object' && value !== null ? [value as object] : []),
    ...schemasIn(value),
  ]);
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { FAVICON } from './favicon.ts';

const compress = promisify(brotliCompress);
const load = createRequire(import.meta.url);

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' };

interface Asset {
  address: string;
  type: string;
  content: Buffer;
}

/**
 * The files of each page: ours, and those of htmx and uPlot as their packages hold them. The streams of htmx are in one
 * file with it, because it looks at the page soon after it is loaded: with a file of their own they may come too late.
 */
const FILES: Readonly<Record<string, () => string[]>> = {
  'style.css': () => [join(import.meta.dirname, 'style.css')],
  'new-campaign.js': () => [join(import.meta.dirname, 'new-campaign.js')],
  'htmx.js': () => [
    ofPackage('htmx.org', 'dist/htmx.min.js'),
    ofPackage('htmx.org', 'dist/ext/hx-sse.min.js'),
  ],
  'chart.js': () => [ofPackage('uplot', 'dist/uPlot.iife.min.js')],
  'stay-live.js': () => [join(import.meta.dirname, 'stay-live.js')],
  'plots.js': () => [join(import.meta.dirname, 'plots.js')],
  'chart.css': () => [ofPackage('uplot', 'dist/uPlot.min.css')],
};

function ofPackage(name: string, file: string): string {
  return join(dirname(load.resolve(`${name}/package.json`)), file);
}

const LINE_END = Buffer.from('\n');
const read = new Map<string, Asset>();

function assetOf(name: string): Asset {
  const known = read.get(name);
  if (known !== undefined) return known;
  const files = FILES[name];
  if (files === undefined) throw new Error(`no asset ${name}`);
  const content = Buffer.concat(files().flatMap((file) => [readFileSync(file), LINE_END]));
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 12);
  const type = TYPES[name.endsWith('.css') ? 'css' : 'js'];
  const asset = { address: `/assets/${hash}/${name}`, type, content };
  read.set(name, asset);
  return asset;
}

/** The address of a file, which changes with its content. Throws for a name that does not exist. */
export function assetAddress(name: string): string {
  return assetOf(name).address;
}

/** Serves each file under an address that a browser may keep for ever. */
export async function assetRoutes(app: FastifyInstance): Promise<void> {
  app.get('/favicon.svg', { config: { may: 'open' } }, (_request, reply) =>
    reply.type('image/svg+xml').header('cache-control', 'public, max-age=86400').send(FAVICON),
  );
  for (const name of Object.keys(FILES)) {
    const { address, type, content } = assetOf(name);
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
    const small = await compress(content, { params });
    app.get(address, { config: { may: 'open' } }, (request, reply) => {
      void reply.type(type).header('cache-control', 'public, max-age=31536000, immutable');
      void reply.header('vary', 'accept-encoding');
      const takes = /\bbr\b/.test(request.headers['accept-encoding'] ?? '');
      return takes ? reply.header('content-encoding', 'br').send(small) : reply.send(content);
    });
  }
}

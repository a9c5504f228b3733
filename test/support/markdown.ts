import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './processes.ts';

/** The pages that people read, as paths below the root. */
export function pages(): string[] {
  return ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...globSync('docs/**/*.md', { cwd: ROOT })];
}

export function readPage(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The cells of a table's rows below its heading, without the marks of code. */
export function tableRows(table: string): string[][] {
  const lines = table.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .replace(/^\|\s*|\s*\|$/g, '')
      .split(/\s*\|\s*/)
      .map((cell) => cell.replaceAll('`', '')),
  );
}

/** Everything that is marked as code, one a piece: fenced blocks line by line, and spans. */
export function codeOf(text: string): string[] {
  const fences = [...text.matchAll(/^ *```[^\n]*\n(.*?)^ *```/gms)].flatMap(([, inner = '']) =>
    inner.split('\n'),
  );
  const prose = text.replace(/^ *```.*?^ *```/gms, '');
  // A span may be broken over two lines.
  const spans = [...prose.matchAll(/`([^`]+)`/g)].map(([, inner = '']) => inner.replace(/\s+/g, ' '));
  return [...fences, ...spans];
}

/** Targets of links and images. */
export function linksOf(text: string): string[] {
  const prose = text.replace(/^ *```.*?^ *```/gms, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/** The anchors that a page's headings make, as code hosts do. */
export function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

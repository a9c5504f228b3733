import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { noBrowser, openWindow } from './browser.ts';

/* The browser of the tests itself: it must see each thing that the tests of the pages rely on it to see. */

const STRICT = "default-src 'self'";
const around = (main: string, head = '') =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title><link rel="icon" href="/icon">${head}</head><body><main><h1>Title</h1>${main}</main></body></html>`;

const PAGES: Record<string, string> = {
  '/good': around(
    '<p><a href="#a">First</a></p><p><label for="b">Name</label><input id="b"></p><p><button>Send</button></p>',
  ),
  '/inline': around('<p>x</p><script>document.title = 1</script>'),
  '/foreign': around('<p>x</p>', '<link rel="stylesheet" href="http://127.0.0.2:9/style.css">'),
  '/nameless': around('<input id="b"><button></button>'),
  '/backwards': around('<p><a href="#a">First</a> <a href="#b" tabindex="2">Second</a></p>'),
  '/ringless': around('<p><a href="#a">First</a></p>', '<link rel="stylesheet" href="/ringless.css">'),
  '/wide': around('<table><tr><td>' + 'w'.repeat(400) + '</td></tr></table>'),
  '/throws': around('<script src="/throws.js"></script>'),
};

/** Serves the pages on a free port, and answers the origin. */
async function serve(): Promise<string> {
  const app = fastify();
  app.addHook('onRequest', async (_request, reply) => void reply.header('content-security-policy', STRICT));
  for (const [path, page] of Object.entries(PAGES))
    app.get(path, (_request, reply) => reply.type('text/html').send(page));
  app.get('/ringless.css', (_request, reply) => reply.type('text/css').send('a:focus{outline:none}'));
  app.get('/throws.js', (_request, reply) => reply.type('text/javascript').send('throw new Error("lost")'));
  app.get('/icon', (_request, reply) =>
    reply.type('image/svg+xml').send('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  );
  onTestFinished(() => app.close());
  return app.listen({ host: '127.0.0.1', port: 0 });
}

test.skipIf(noBrowser !== null)('a good page is seen as one', async () => {
  const window = await openWindow(await serve(), { width: 360, scheme: 'dark' });
  expect(await window.open('/good')).toBe(200);
  expect(await window.axe()).toEqual([]);
  expect(await window.tooWide()).toEqual([]);
  expect(await window.tabOrder()).toEqual({ stops: ['a First', 'input #b', 'button Send'], wrong: [] });
  expect(window.wrong()).toEqual([]);
});

test.skipIf(noBrowser !== null)('whatever a page must not do is seen', async () => {
  const origin = await serve();
  const seen = async (path: string) => {
    const window = await openWindow(origin, { width: 360 });
    await window.open(path);
    return window;
  };
  expect((await seen('/inline')).wrong()).toEqual([expect.stringContaining('Content Security Policy')]);
  expect((await seen('/foreign')).wrong().join()).toContain('foreign request: http://127.0.0.2:9/style.css');
  expect((await seen('/throws')).wrong()).toEqual(['error: lost']);
  expect(await (await seen('/nameless')).axe()).toEqual(['button-name: button', 'label: #b']);
  expect((await (await seen('/backwards')).tabOrder()).wrong.join()).toContain('First comes after a Second');
  expect((await (await seen('/ringless')).tabOrder()).wrong).toEqual(['a First shows no ring']);
  expect((await (await seen('/wide')).tooWide())[0]).toMatch(/^\d+ of 360 pixels$/);
});

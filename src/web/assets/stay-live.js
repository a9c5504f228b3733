/*
 * Begins the stream of a page, and begins it again where it could not. htmx looks through a page when it is loaded, which
 * may be before its extension for streams is there; so the element gets its stream here, after both.
 */
(() => {
  const live = document.getElementById('live');
  if (live === null) return;
  const AGAIN_MS = 3000;
  const again = () => live.dispatchEvent(new CustomEvent('tuma:again'));
  live.addEventListener('htmx:error', () => setTimeout(again, AGAIN_MS));
  addEventListener('online', again);
  document.addEventListener('visibilitychange', () => document.hidden || again());
  // Timers run in their order, and htmx has set its own by now.
  setTimeout(() => {
    live.setAttribute('hx-trigger', 'load, tuma:again');
    live.setAttribute('hx-sse:connect', live.dataset.stream);
    htmx.process(live);
  });
})();

/*
 * A stream that broke comes back by itself, but not one that could never begin: this begins it again, after a moment, when
 * the machine is online again, and when somebody looks at the page again.
 */
(() => {
  const live = document.getElementById('live');
  if (live === null) return;
  const AGAIN_MS = 3000;
  const again = () => live.dispatchEvent(new CustomEvent('tuma:again'));
  live.addEventListener('htmx:error', () => setTimeout(again, AGAIN_MS));
  addEventListener('online', again);
  document.addEventListener('visibilitychange', () => document.hidden || again());
})();

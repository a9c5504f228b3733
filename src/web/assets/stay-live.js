/*
 * The numbers of the page come by a stream. htmx begins it again when it broke; this begins it where it could not even
 * begin, ends one that is silent, says while nothing comes, and lets it rest while nobody looks.
 */
(() => {
  const live = document.getElementById('live');
  const lost = document.getElementById('live-lost');
  if (live === null || lost === null) return;
  const AGAIN_MS = 3000;
  /** The server sends something more often than that: live-routes.ts. */
  const SILENT_MS = 40000;
  const SESSION_OVER = 401;
  htmx.config.sse = { reconnectMaxDelay: 5000 };
  let connection = null;
  let silence = 0;

  const again = () => live.dispatchEvent(new CustomEvent('tuma:again'));
  const showLost = (isLost) => {
    if (lost.hidden === isLost) lost.hidden = !isLost;
  };
  /** A line that was cut far away breaks nothing here: it is only silent. */
  const listen = () => {
    clearTimeout(silence);
    silence = setTimeout(() => {
      if (document.hidden) return;
      showLost(true);
      connection?.reader?.cancel();
    }, SILENT_MS);
  };

  live.addEventListener('htmx:sse:after:connection', (event) => {
    connection = event.detail.connection;
    listen();
  });
  live.addEventListener('htmx:sse:after:message', () => {
    showLost(false);
    listen();
    // A page that was opened behind another one rests, too.
    if (document.hidden) document.dispatchEvent(new Event('visibilitychange'));
  });
  live.addEventListener('htmx:sse:error', ({ detail }) => {
    // The page then asks to sign in, and shows nothing to who may not see it any more.
    if (detail.status === SESSION_OVER) location.reload();
    else showLost(true);
  });
  live.addEventListener('htmx:error', () => {
    showLost(true);
    setTimeout(again, AGAIN_MS);
  });
  addEventListener('offline', () => showLost(true));
  addEventListener('online', again);
  document.addEventListener('visibilitychange', () => document.hidden || again());
})();

/*
 * Draws each chart from the table beside it, and again when the table changes, the window or the colours do.
 * Without this script the tables are there.
 */
(() => {
  const numberOf = (cell) => Number(cell.textContent.replace(/[^\d.]/g, ''));

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const width = (figure) => Math.max(200, figure.clientWidth);

  const HEIGHT = 190;

  const axes = (format) => [
    { stroke: colour('--soft'), grid: { show: false }, ticks: { show: false }, size: 26, ...format },
    {
      stroke: colour('--soft'),
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { show: false },
      size: 56,
      values: (_, values) => values.map((value) => value.toLocaleString('en-US')),
    },
  ];

  /** Dashed lines with a word on top: pauses, and changes of the speed. */
  const markPlugin = (marks) => ({
    hooks: {
      draw: (plot) => {
        const { ctx, bbox } = plot;
        const scale = devicePixelRatio;
        ctx.save();
        ctx.strokeStyle = colour('--ink');
        ctx.fillStyle = colour('--soft');
        ctx.font = `${11 * scale}px system-ui, sans-serif`;
        ctx.setLineDash([3 * scale, 3 * scale]);
        let free = bbox.left;
        for (const [at, words] of marks) {
          const x = plot.valToPos(at / 1000, 'x', true);
          if (x < bbox.left || x > bbox.left + bbox.width) continue;
          ctx.beginPath();
          ctx.moveTo(x, bbox.top);
          ctx.lineTo(x, bbox.top + bbox.height);
          ctx.stroke();
          const length = ctx.measureText(words).width;
          const from = Math.min(x + 3 * scale, bbox.left + bbox.width - length);
          if (from < free) continue;
          ctx.fillText(words, from, bbox.top - 4 * scale);
          free = from + length + 8 * scale;
        }
        ctx.restore();
      },
    },
  });

  /** The seconds of one minute have the same label: it stands at the first. */
  const once = (labels) => labels.map((label, index) => (label === labels[index - 1] ? '' : label));

  const bars = (size) => uPlot.paths.bars({ size: [size, 100] });

  const course = (figure) => {
    const table = figure.querySelector('table');
    const rows = [...table.querySelectorAll('tr[data-at]')];
    const { zone, step } = table.dataset;
    const marks = JSON.parse(table.dataset.marks ?? '[]');
    const clock = new Intl.DateTimeFormat(document.documentElement.lang === 'sw' ? 'sw-KE' : 'en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      ...(Number(step) * rows.length > 2 * 86_400_000
        ? { day: 'numeric', month: 'short' }
        : { hour: '2-digit', minute: '2-digit' }),
    });
    const column = (index) => rows.map((row) => numberOf(row.cells[index]));
    const half = Number(step) / 2000;
    const times = rows.map((row) => Number(row.dataset.at) / 1000 + half);
    const first = (times[0] ?? 0) - half;
    const last = (times.at(-1) ?? 0) + half;
    return {
      data: [times, column(1), column(2), column(3)],
      options: {
        padding: [18, 8, 0, 0],
        scales: {
          x: { time: true, range: () => [first, last] },
          y: { range: (_, __, most) => [0, Math.max(1, most)] },
        },
        series: [
          {},
          { fill: `${colour('--accent')}4d`, width: 0, paths: bars(0.9), points: { show: false } },
          { fill: colour('--accent'), width: 0, paths: bars(0.5), points: { show: false } },
          { fill: colour('--bad'), width: 0, paths: bars(0.2), points: { show: false } },
        ],
        axes: axes({
          values: (_, values) => once(values.map((value) => clock.format(value * 1000))),
          space: 60,
        }),
        plugins: [markPlugin(marks)],
      },
    };
  };

  const latency = (figure) => {
    const rows = [...figure.querySelectorAll('tr[data-bar]')];
    const names = rows.map((row) => row.dataset.bar);
    return {
      data: [rows.map((_, index) => index), rows.map((row) => numberOf(row.cells[1]))],
      options: {
        padding: [8, 8, 0, 0],
        scales: {
          x: { time: false, range: () => [-0.5, rows.length - 0.5] },
          y: { range: (_, __, most) => [0, Math.max(1, most)] },
        },
        series: [{}, { fill: colour('--accent'), width: 0, paths: bars(0.7), points: { show: false } }],
        axes: axes({
          splits: () => rows.map((_, index) => index),
          values: (plot, values) =>
            values.map((value) => (plot.width < 420 && value % 2 === 1 ? '' : (names[value] ?? ''))),
        }),
      },
    };
  };

  const KINDS = { course, latency };

  const draw = (figure) => {
    const place = figure.querySelector('.chart');
    const kind = KINDS[figure.dataset.plot];
    if (place === null || kind === undefined || figure.clientWidth === 0) return;
    const { data, options } = kind(figure);
    place.hidden = !data.slice(1).some((column) => column.some((count) => count > 0));
    if (place.hidden) return;
    const size = { width: width(figure), height: HEIGHT };
    const chart = new uPlot(
      { ...size, ...options, legend: { show: false }, cursor: { show: false }, select: { show: false } },
      data,
    );
    place.replaceChildren(chart.root);
  };

  const drawAll = () => document.querySelectorAll('figure[data-plot]').forEach(draw);

  let waiting = null;
  const later = () => {
    if (waiting !== null) return;
    waiting = requestAnimationFrame(() => {
      waiting = null;
      drawAll();
    });
  };

  // A long page: on a phone what is no answer yet is one tap away.
  if (matchMedia('(max-width: 48rem)').matches)
    for (const fold of document.querySelectorAll('details.fold')) fold.open = false;

  drawAll();
  document.addEventListener('toggle', later, true);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', later);
  addEventListener('resize', later);
  for (const table of document.querySelectorAll('figure[data-plot] table'))
    new MutationObserver(later).observe(table, {
      childList: true,
      subtree: true,
      characterData: true,
      attributes: true,
    });
})();

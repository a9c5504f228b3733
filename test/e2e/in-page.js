/* What browser.ts asks of a page. It runs inside of the page, so it is plain JavaScript. */

// In a block of its own: it may run several times in one page.
{
  /** What the keyboard can reach, in the order of the source; of radio buttons with one name, the one that Tab reaches. */
  function reachable() {
    const all = document.querySelectorAll(
      'a[href], button, input:not([type=hidden]), select, textarea, summary, audio[controls], [tabindex]:not([tabindex^="-"])',
    );
    return [...all].filter((element) => isShown(element) && !element.disabled && isFirstOfItsRadios(element));
  }

  function isShown(element) {
    const closed = element.closest('details:not([open])');
    const inside = closed !== null && !(element.localName === 'summary' && element.parentElement === closed);
    return !inside && element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });
  }

  function isFirstOfItsRadios(element) {
    if (element.type !== 'radio') return true;
    const group = [...document.querySelectorAll('input[type=radio]')].filter(
      ({ name, form }) => name === element.name && form === element.form,
    );
    return element === (group.find(({ checked }) => checked) ?? group[0]);
  }

  function nameOf(element) {
    const words = element.getAttribute('aria-label') ?? element.textContent.trim().replaceAll(/\s+/g, ' ');
    const mark = element.id === '' ? (element.name ?? '') : `#${element.id}`;
    return `${element.localName} ${mark} ${words.slice(0, 40)}`.replaceAll(/ +/g, ' ').trim();
  }

  /** The element that has the focus, with its place among what can be reached; null: none has it. */
  function focused() {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) return null;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(activeElement);
    const ring = (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
    return { place: reachable().indexOf(activeElement), name: nameOf(activeElement), ring };
  }

  /** What is wider than the window and moves the page sideways; none when the page stays in place. */
  function tooWide() {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const wide = [...document.body.querySelectorAll('*')].filter(
      (element) => element.getBoundingClientRect().right > clientWidth + 1,
    );
    return [`${scrollWidth} of ${clientWidth} pixels`, ...wide.slice(0, 5).map(nameOf)];
  }

  /** Targets that are lower than a finger needs; links within a sentence are exempt. */
  function smallTargets(least) {
    return reachable()
      .filter((element) => {
        const inSentence = element.localName === 'a' && getComputedStyle(element).display === 'inline';
        // A label does what its field does.
        const places = [element, ...(element.labels ?? [])].map((each) => each.getBoundingClientRect());
        return !inSentence && !places.some(({ height }) => height >= least);
      })
      .map(nameOf);
  }

  globalThis.tumaLook = { reachable: () => reachable().map(nameOf), focused, tooWide, smallTargets };
}

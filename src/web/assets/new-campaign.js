/*
 * Two helps for the steps to a campaign, which work without them, too: a field goes where the caret is, and what was
 * typed is still there after a reload or a look at another step.
 */

document.addEventListener('click', (event) => {
  const button = event.target.closest('button[name="put"]');
  const text = document.getElementById('text');
  if (button === null || text === null) return;
  event.preventDefault();
  text.setRangeText(`<<${button.value}>>`, text.selectionStart, text.selectionEnd, 'end');
  text.focus();
  text.dispatchEvent(new Event('input', { bubbles: true }));
});

const here = `typed ${location.pathname}`;
/** The form that was sent last. It arrived when another page came after it; else its connection was cut. */
const SENT = 'typed and sent';
const sent = sessionStorage.getItem(SENT);
sessionStorage.removeItem(SENT);
if (sent !== null && sent !== here) sessionStorage.removeItem(sent);
// A page that the browser brings back from its memory, as it was: the form did not arrive.
addEventListener('pageshow', ({ persisted }) => persisted && sessionStorage.removeItem(SENT));

const form = document.querySelector('form[data-keeps]');
if (form !== null) keepTyped(form, here);

/** Keeps what is typed for this tab, until the form has arrived. It is put back only over what it was typed over. */
function keepTyped(form, place) {
  // As the server wrote them: a browser may have put back by itself what was typed.
  const before = JSON.stringify(fieldsOf(form).map(writtenOf));
  const kept = JSON.parse(sessionStorage.getItem(place) ?? 'null');
  if (kept !== null && kept.before === before && kept.typed !== before) putBack(form, JSON.parse(kept.typed));
  form.addEventListener('input', () =>
    sessionStorage.setItem(place, JSON.stringify({ before, typed: valuesOf(form) })),
  );
  form.addEventListener('submit', () => sessionStorage.setItem(SENT, place));
}

function putBack(form, typed) {
  for (const [index, field] of fieldsOf(form).entries())
    if (isChoice(field)) field.checked = typed[index];
    else field.value = typed[index];
  // The preview is made by htmx, which begins after this script.
  const preview = () => form.querySelector('#text')?.dispatchEvent(new Event('input', { bubbles: true }));
  document.addEventListener('htmx:after:process', () => setTimeout(preview), { once: true });
}

function valuesOf(form) {
  return JSON.stringify(fieldsOf(form).map((field) => (isChoice(field) ? field.checked : field.value)));
}

function writtenOf(field) {
  if (isChoice(field)) return field.defaultChecked;
  if (field.options === undefined) return field.defaultValue;
  return ([...field.options].find((option) => option.defaultSelected) ?? field.options[0])?.value;
}

function fieldsOf(form) {
  return [...form.elements].filter(
    ({ name, type }) => name !== '' && !['hidden', 'file', 'submit', 'fieldset'].includes(type),
  );
}

function isChoice({ type }) {
  return type === 'radio' || type === 'checkbox';
}

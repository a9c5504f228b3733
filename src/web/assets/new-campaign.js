// Puts a field where the caret is. Without this script its button puts it at the end of the text.
document.addEventListener('click', (event) => {
  const button = event.target.closest('button[name="put"]');
  const text = document.getElementById('text');
  if (button === null || text === null) return;
  event.preventDefault();
  text.setRangeText(`<<${button.value}>>`, text.selectionStart, text.selectionEnd, 'end');
  text.focus();
  text.dispatchEvent(new Event('input', { bubbles: true }));
});

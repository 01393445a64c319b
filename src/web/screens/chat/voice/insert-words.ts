/**
 * Puts words where the caret is, or in place of what is selected, apart from what stands there by a blank. Undone like typing.
 * It happens a moment later: within React's own work its answer to the change would set the whole value, and the browser would forget
 * what can be undone.
 */
export function insertWords(field: HTMLTextAreaElement, words: string): void {
  window.setTimeout(() => {
    const { value, selectionStart, selectionEnd } = field;
    const before = value.slice(0, selectionStart);
    const after = value.slice(selectionEnd);
    const text = `${/\S$/.test(before) ? " " : ""}${words}${/^[^\s.,;:!?)]/.test(after) ? " " : ""}`;
    field.focus();
    // Deprecated and everywhere: the one way that leaves the browser's own undo whole. It tells React, as typing does.
    if (document.execCommand("insertText", false, text)) return;
    field.setRangeText(text, selectionStart, selectionEnd, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

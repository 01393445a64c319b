const focusable = "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled)";

/**
 * A list's ref. If the row that has the focus goes, or the one whose menu or dialog has it, the
 * focus moves to the same control of the next row, so that people with a keyboard or a screen
 * reader stay where they were instead of at the top of the page.
 */
export function keepFocus(list: HTMLElement | null): (() => void) | undefined {
  if (!list) return;
  let row: Element | null = null;
  let place = 0;
  let control = 0;
  const remember = ({ target }: FocusEvent) => {
    row = [...list.children].find((child) => child.contains(target as Node)) ?? null;
    if (!row) return;
    place = [...list.children].indexOf(row);
    control = [...row.querySelectorAll(focusable)].indexOf(target as Element);
  };
  const rows = new MutationObserver(() => {
    if (!row) return;
    if (row.parentNode === list) {
      place = [...list.children].indexOf(row);
      return;
    }
    row = null;
    if (document.activeElement !== document.body) return;
    const heir = list.children[Math.min(place, list.children.length - 1)];
    const controls = [...(heir?.querySelectorAll<HTMLElement>(focusable) ?? [])];
    controls[Math.min(Math.max(control, 0), controls.length - 1)]?.focus();
  });
  list.addEventListener("focusin", remember);
  rows.observe(list, { childList: true });
  return () => {
    list.removeEventListener("focusin", remember);
    rows.disconnect();
  };
}

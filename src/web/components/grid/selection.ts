/** What is selected in a gallery, by key. `anchor` is where a range with Shift begins. */
export type Selection = {
  keys: ReadonlySet<string>;
  anchor: number | null;
  /** Everything that the gallery shows, also what isn't loaded. */
  isAll?: boolean;
};

export const nothingSelected: Selection = { keys: new Set(), anchor: null };

/** Takes one in or out. */
export function toggleSelected(selection: Selection, index: number, key: string): Selection {
  const keys = new Set(selection.keys);
  if (!keys.delete(key)) keys.add(key);
  return { keys, anchor: index };
}

/** Adds everything from the anchor to `index`. What isn't loaded has no key and is left out. */
export function selectTo(
  selection: Selection,
  index: number,
  keyAt: (index: number) => string | undefined,
): Selection {
  const anchor = selection.anchor ?? index;
  const keys = new Set(selection.keys);
  for (let place = Math.min(anchor, index); place <= Math.max(anchor, index); place += 1) {
    const key = keyAt(place);
    if (key !== undefined) keys.add(key);
  }
  return { keys, anchor };
}

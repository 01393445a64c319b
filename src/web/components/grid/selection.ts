/** A gallery's selected keys. `anchor` is where a Shift range starts. */
export type Selection = {
  keys: ReadonlySet<string>;
  anchor: number | null;
  /** Everything in the gallery, including items that aren't loaded. */
  isAll?: boolean;
};

export const nothingSelected: Selection = { keys: new Set(), anchor: null };

/** Adds an item or removes it. */
export function toggleSelected(selection: Selection, index: number, key: string): Selection {
  const keys = new Set(selection.keys);
  if (!keys.delete(key)) keys.add(key);
  return { keys, anchor: index };
}

/** Leaves out the items of another selection. */
export function withoutSelected(selection: Selection, other: Selection): Selection {
  const keys = new Set([...selection.keys].filter((key) => !other.keys.has(key)));
  if (keys.size === 0) return nothingSelected;
  return { ...selection, keys, isAll: selection.isAll === true && !other.isAll };
}

/** Whether all items between two indexes are loaded. */
export function hasEveryKey(
  from: number,
  to: number,
  keyAt: (index: number) => string | undefined,
): boolean {
  for (let place = Math.min(from, to); place <= Math.max(from, to); place += 1)
    if (keyAt(place) === undefined) return false;
  return true;
}

/** Selects from the anchor to `index`. Items that aren't loaded have no key and are skipped. */
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

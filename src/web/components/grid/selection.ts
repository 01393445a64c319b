/** A gallery's selected keys. `anchor` is where a Shift range starts. */
export type Selection = {
  keys: ReadonlySet<string>;
  anchor: number | null;
  /**
   * Everything in the gallery but `except`, including items that aren't loaded. `keys` are then
   * those of its first items that were loaded.
   */
  isAll?: boolean;
  except?: ReadonlySet<string>;
};

export const nothingSelected: Selection = { keys: new Set(), anchor: null };

/** Whether an item is selected. An item that isn't loaded has no key. */
export const isSelected = ({ keys, isAll, except }: Selection, key: string | undefined): boolean =>
  isAll ? key === undefined || !except?.has(key) : key !== undefined && keys.has(key);

/** Adds an item or removes it. */
export function toggleSelected(selection: Selection, index: number, key: string): Selection {
  const keys = new Set(selection.keys);
  if (selection.isAll) {
    const except = new Set(selection.except);
    if (except.delete(key)) keys.add(key);
    else {
      except.add(key);
      keys.delete(key);
    }
    return keys.size === 0 ? nothingSelected : { ...selection, keys, except, anchor: index };
  }
  if (!keys.delete(key)) keys.add(key);
  return { keys, anchor: index };
}

/**
 * Adds loaded items.
 * @param anchor where the next range starts
 */
export function addSelected(
  selection: Selection,
  added: Iterable<string>,
  anchor: number,
): Selection {
  if (!selection.isAll) return { keys: new Set([...selection.keys, ...added]), anchor };
  const keys = new Set(selection.keys);
  const except = new Set(selection.except);
  for (const key of added) if (except.delete(key)) keys.add(key);
  return { ...selection, keys, except, anchor };
}

/** Leaves out the items of another selection. */
export function withoutSelected(selection: Selection, other: Selection): Selection {
  const keys = new Set([...selection.keys].filter((key) => !isSelected(other, key)));
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
  const keys: string[] = [];
  for (let place = Math.min(anchor, index); place <= Math.max(anchor, index); place += 1) {
    const key = keyAt(place);
    if (key !== undefined) keys.push(key);
  }
  return addSelected(selection, keys, anchor);
}

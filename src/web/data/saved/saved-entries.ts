/**
 * The browser's saved entries. Drafts end when their person signs out; choices last until the
 * person returns. Each entry belongs to one person and is read only for that person.
 */

/** A kind of entry. */
export type Slot<Value> = {
  kind: "draft" | "choice";
  name: string;
  /** Raised when the shape changes. Entries of other versions aren't read. */
  version: number;
  /** The value read if nothing is saved. Saving this value removes the entry. */
  empty: Value;
  /** Returns null for a malformed entry. */
  parse: (saved: unknown) => Value | null;
  /** "tab": the entry ends with the tab. */
  where?: "device" | "tab";
  /**
   * Whether a sent draft contains all of another, so that no tab needs to offer the other again.
   */
  isPartOf?: (draft: Value, sent: Value) => boolean;
  /** Longer entries are refused. */
  maxCharacters?: number;
};

type Store = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;
type Entry = { version: number; savedAt: number; value: unknown };

const prefix = "bottega:";
/** The person whose drafts the device accepts; nobody between a sign-out and the next sign-in. */
const personKey = `${prefix}person`;
/** One setting for the device: public/theme.js reads it before the first paint. */
export const appearanceKey = `${prefix}appearance`;

const maxEntryCharacters = 512 * 1024;
/** Browsers limit an origin's storage to about five million characters. */
const maxDraftCharacters = 3 * 1024 * 1024;

const keyOf = ({ kind, name }: Pick<Slot<unknown>, "kind" | "name">, person: string, id: string) =>
  [`${prefix}${kind}`, person, name, id].join(":");

/**
 * @param device throws if the browser's storage is blocked; drafts then last until the page closes
 */
export function createSavedEntries(device: () => Store, tab: () => Store, now: () => number) {
  const storeOf = ({ where }: Pick<Slot<unknown>, "where">): Store =>
    where === "tab" ? tab() : device();
  const acceptsDraftsOf = (person: string): boolean =>
    person === "" || device().getItem(personKey) === person;

  return {
    /**
     * Whether a person's drafts are saved. A stale page or another tab may still hold text of a
     * person who has signed out. Drafts without a person, from forms before sign-in, are always
     * saved.
     */
    acceptsDraftsOf,

    read<Value>(slot: Slot<Value>, person: string, id = ""): Value {
      try {
        const text = storeOf(slot).getItem(keyOf(slot, person, id));
        const entry = JSON.parse(text ?? "null") as Entry | null;
        return (entry?.version === slot.version ? slot.parse(entry.value) : null) ?? slot.empty;
      } catch {
        return slot.empty;
      }
    },

    /** @returns whether the entry is saved; a refused entry leaves the previous one */
    write<Value>(slot: Slot<Value>, person: string, value: Value, id = ""): boolean {
      try {
        const store = storeOf(slot);
        const key = keyOf(slot, person, id);
        if (JSON.stringify(value) === JSON.stringify(slot.empty)) {
          store.removeItem(key);
          return true;
        }
        if (slot.kind === "draft" && !acceptsDraftsOf(person)) return false;
        const entry: Entry = { version: slot.version, savedAt: now(), value };
        const text = JSON.stringify(entry);
        if (text.length > (slot.maxCharacters ?? maxEntryCharacters)) return false;
        setWithEviction(store, key, text);
        return true;
      } catch {
        return false;
      }
    },

    /** Removes a draft that was sent, unless another tab has saved other text in its place. */
    removeSent<Value>(slot: Slot<Value>, person: string, sent: Value, id = ""): void {
      if (slot.isPartOf?.(this.read(slot, person, id), sent))
        this.write(slot, person, slot.empty, id);
    },

    /** Called at sign-in: from now on the device saves this person's drafts. */
    open(person: string): void {
      try {
        const store = device();
        store.setItem(personKey, person);
        for (const key of keysOf(store)) if (!isKnown(key)) store.removeItem(key);
        dropOldest(store, maxDraftCharacters);
      } catch {
        // The device can't save.
      }
    },

    /** Called at sign-out: removes the person's drafts and stops saving new ones. */
    close(person: string): void {
      for (const storeNow of [device, tab])
        try {
          const store = storeNow();
          store.removeItem(personKey);
          for (const key of draftsOf(store))
            if (storeNow === tab || key.startsWith(`${prefix}draft:${person}:`))
              store.removeItem(key);
        } catch {
          // The device can't save.
        }
    },
  };
}

const keysOf = (store: Store): string[] =>
  Array.from({ length: store.length }, (_, at) => store.key(at) ?? "").filter((key) =>
    key.startsWith(prefix),
  );
const draftsOf = (store: Store): string[] =>
  keysOf(store).filter((key) => key.startsWith(`${prefix}draft:`));
/** Entries from versions without per-person entries have no owner and aren't known. */
const isKnown = (key: string): boolean =>
  key === personKey || key === appearanceKey || /^bottega:(draft|choice):[^:]*:[^:]+:/.test(key);

/** Saves an entry; if storage is full, drops the oldest drafts. */
function setWithEviction(store: Store, key: string, text: string): void {
  try {
    store.setItem(key, text);
  } catch {
    const sum = draftsOf(store).reduce((size, draft) => size + sizeOf(store, draft), 0);
    dropOldest(store, sum - text.length);
    store.setItem(key, text);
  }
}

const sizeOf = (store: Store, key: string): number => store.getItem(key)?.length ?? 0;

function savedAt(store: Store, key: string): number {
  try {
    return (JSON.parse(store.getItem(key) ?? "null") as Entry).savedAt;
  } catch {
    return 0;
  }
}

/** Removes the oldest drafts until the rest fits in a number of characters. */
function dropOldest(store: Store, maxCharacters: number): void {
  const drafts = draftsOf(store)
    .map((key) => ({ key, size: sizeOf(store, key), at: savedAt(store, key) }))
    .toSorted((a, b) => b.at - a.at);
  let sum = 0;
  for (const { key, size } of drafts) {
    sum += size;
    if (sum > maxCharacters) store.removeItem(key);
  }
}

export type SavedEntries = ReturnType<typeof createSavedEntries>;
let shared: SavedEntries | undefined;
/** This browser's saved entries. */
export const savedEntries = (): SavedEntries => {
  shared ??= createSavedEntries(
    () => localStorage,
    () => sessionStorage,
    Date.now,
  );
  return shared;
};

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

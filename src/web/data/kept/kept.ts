/**
 * What the browser saves on a device: drafts, which end when their person signs out, and choices, which wait for the person's
 * return. Each entry belongs to one person and is read for nobody else.
 */

/** One sort of entry. */
export type Slot<Value> = {
  kind: "draft" | "choice";
  name: string;
  /** Raised when the shape changes: an entry of another version is not read. */
  version: number;
  /** What is read where nothing is saved; saving it removes the entry. */
  empty: Value;
  /** Null for an entry that is broken. */
  parse: (saved: unknown) => Value | null;
  /** "tab": the entry ends with the tab. */
  where?: "device" | "tab";
  /** A longer entry is refused. */
  charactersMost?: number;
};

type Store = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;
type Entry = { version: number; savedAt: number; value: unknown };

const prefix = "bottega:";
/** Whose drafts the device takes: nobody's between a sign-out and the next sign-in. */
const personKey = `${prefix}person`;
/** Belongs to the device: public/theme.js reads it before the first paint. */
export const appearanceKey = `${prefix}appearance`;

const entryCharactersMost = 512 * 1024;
/** Browsers give five million characters to all that a program saves. */
const draftCharactersMost = 3 * 1024 * 1024;

const keyOf = ({ kind, name }: Pick<Slot<unknown>, "kind" | "name">, person: string, id: string) =>
  [`${prefix}${kind}`, person, name, id].join(":");

/** @param device throws where the browser lets nothing be saved; then drafts last as long as the page */
export function createKept(device: () => Store, tab: () => Store, now: () => number) {
  const storeOf = ({ where }: Pick<Slot<unknown>, "where">): Store =>
    where === "tab" ? tab() : device();
  const isOpenTo = (person: string): boolean =>
    person === "" || device().getItem(personKey) === person;

  return {
    /**
     * Whether a person's drafts are saved: a page that is left, or another tab, can still hold words of somebody who has signed
     * out. Nobody's are: those of the forms before a sign-in.
     */
    isOpenTo,

    read<Value>(slot: Slot<Value>, person: string, id = ""): Value {
      try {
        const text = storeOf(slot).getItem(keyOf(slot, person, id));
        const entry = JSON.parse(text ?? "null") as Entry | null;
        return (entry?.version === slot.version ? slot.parse(entry.value) : null) ?? slot.empty;
      } catch {
        return slot.empty;
      }
    },

    /** @returns whether it is saved; a refused entry leaves the one before */
    write<Value>(slot: Slot<Value>, person: string, value: Value, id = ""): boolean {
      try {
        const store = storeOf(slot);
        const key = keyOf(slot, person, id);
        if (JSON.stringify(value) === JSON.stringify(slot.empty)) {
          store.removeItem(key);
          return true;
        }
        if (slot.kind === "draft" && !isOpenTo(person)) return false;
        const entry: Entry = { version: slot.version, savedAt: now(), value };
        const text = JSON.stringify(entry);
        if (text.length > (slot.charactersMost ?? entryCharactersMost)) return false;
        setWithRoom(store, key, text);
        return true;
      } catch {
        return false;
      }
    },

    /** A person has signed in: from now on the device saves what they type. */
    open(person: string): void {
      try {
        const store = device();
        store.setItem(personKey, person);
        for (const key of keysOf(store)) if (!isKnown(key)) store.removeItem(key);
        dropOldest(store, draftCharactersMost);
      } catch {
        // A device that saves nothing.
      }
    },

    /** The person has signed out: none of their drafts stays, and none is saved any more. */
    close(person: string): void {
      for (const storeNow of [device, tab])
        try {
          const store = storeNow();
          store.removeItem(personKey);
          for (const key of draftsOf(store))
            if (storeNow === tab || key.startsWith(`${prefix}draft:${person}:`))
              store.removeItem(key);
        } catch {
          // A device that saves nothing.
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
/** Entries of versions before persons had their own are nobody's. */
const isKnown = (key: string): boolean =>
  key === personKey || key === appearanceKey || /^bottega:(draft|choice):[^:]*:[^:]+:/.test(key);

/** A full store gives up its oldest drafts for a new entry. */
function setWithRoom(store: Store, key: string, text: string): void {
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

/** Removes the oldest drafts until the others have at most so many characters. */
function dropOldest(store: Store, charactersMost: number): void {
  const drafts = draftsOf(store)
    .map((key) => ({ key, size: sizeOf(store, key), at: savedAt(store, key) }))
    .toSorted((a, b) => b.at - a.at);
  let sum = 0;
  for (const { key, size } of drafts) {
    sum += size;
    if (sum > charactersMost) store.removeItem(key);
  }
}

export type Kept = ReturnType<typeof createKept>;
let shared: Kept | undefined;
/** What this browser saves. */
export const kept = (): Kept => {
  shared ??= createKept(
    () => localStorage,
    () => sessionStorage,
    Date.now,
  );
  return shared;
};

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

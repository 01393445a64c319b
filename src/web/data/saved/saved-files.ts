import { savedEntries } from "./saved-entries.ts";

/**
 * Drafts too big for saved-entries.ts, such as drawings, in the browser's database. Signing out removes them
 * as well.
 */
const database = "bottega";
const store = "files";
/** The previous database, whose drawings had no owner. */
const previousDatabase = "bottega-draw";

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(database, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(store);
      indexedDB.deleteDatabase(previousDatabase);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("The device saves no files."));
  });
}

async function transact<T>(
  mode: IDBTransactionMode,
  act: (files: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const db = await open();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = db.transaction(store, mode);
      const request = act(transaction.objectStore(store));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = transaction.onabort = () =>
        reject(transaction.error ?? new Error("The file was not saved."));
    });
  } finally {
    db.close();
  }
}

/** Stored as bytes, because WebKit refuses a Blob in a private window. */
type StoredFile = { bytes: ArrayBuffer; type: string };

const maxBytes = 64 * 1024 * 1024;

/** @returns undefined if nothing is saved, or if the device can't save */
export async function readFile(person: string, name: string): Promise<Blob | undefined> {
  const stored = await transact(
    "readonly",
    (files) => files.get([person, name]) as IDBRequest<StoredFile | undefined>,
  ).catch(() => undefined);
  return stored && new Blob([stored.bytes], { type: stored.type });
}

/** @returns whether the file is saved; private windows and full disks refuse */
export async function writeFile(person: string, name: string, file: Blob): Promise<boolean> {
  if (file.size > maxBytes) return false;
  try {
    const stored: StoredFile = { bytes: await file.arrayBuffer(), type: file.type };
    if (!savedEntries().acceptsDraftsOf(person)) return false;
    await transact("readwrite", (files) => files.put(stored, [person, name]));
    return true;
  } catch {
    return false;
  }
}

export const removeFile = (person: string, name: string): Promise<unknown> =>
  transact("readwrite", (files) => files.delete([person, name])).catch(() => undefined);

/** Removes every file of a person. */
export const removeFiles = (person: string): Promise<unknown> =>
  transact("readwrite", (files) => files.delete(IDBKeyRange.bound([person], [person, []]))).catch(
    () => undefined,
  );

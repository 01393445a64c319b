/** Drawings are kept on the device, one a project, until they are cleared: a reload or a lost line takes nothing away. */
const database = "bottega-draw";
const store = "drawings";

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(database, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(store);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("The device keeps no drawings."));
  });
}

async function ask<T>(
  mode: IDBTransactionMode,
  act: (drawings: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const db = await open();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = db.transaction(store, mode);
      const request = act(transaction.objectStore(store));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = transaction.onabort = () =>
        reject(transaction.error ?? new Error("The drawing was not kept."));
    });
  } finally {
    db.close();
  }
}

/** Its bytes, for WebKit refuses a Blob in a private window. Older versions of Bottega stored the Blob itself. */
type Stored = { bytes: ArrayBuffer; type: string } | Blob;

const blobOf = (stored: Stored | undefined): Blob | undefined =>
  stored === undefined || stored instanceof Blob
    ? stored
    : new Blob([stored.bytes], { type: stored.type });

/** What a page left behind that had no time for more: newer than what the database has. */
const lastKey = (projectId: string): string => `bottega:drawing:${projectId}`;

export async function readDrawing(projectId: string): Promise<Blob | undefined> {
  const last = takeLast(projectId);
  // Decoded by hand: the page's policy lets no address of data be fetched.
  if (last)
    return new Blob(
      [Uint8Array.from(atob(last.split(",")[1] ?? ""), (character) => character.charCodeAt(0))],
      { type: "image/jpeg" },
    );
  // A device that stores nothing has nothing to read either.
  return ask(
    "readonly",
    (drawings) => drawings.get(projectId) as IDBRequest<Stored | undefined>,
  ).then(blobOf, () => undefined);
}

function takeLast(projectId: string): string | null {
  try {
    const last = localStorage.getItem(lastKey(projectId));
    localStorage.removeItem(lastKey(projectId));
    return last;
  } catch {
    return null;
  }
}

/** Synchronously: a database's write is given up when its page goes away. */
export function writeLast(projectId: string, dataUrl: string): void {
  try {
    localStorage.setItem(lastKey(projectId), dataUrl);
  } catch {
    // A full store: what was written down before is what stays.
  }
}

/** @returns whether the device has saved it; a private window or a full disk has not */
export async function writeDrawing(projectId: string, drawing: Blob): Promise<boolean> {
  try {
    const stored: Stored = { bytes: await drawing.arrayBuffer(), type: drawing.type };
    await ask("readwrite", (drawings) => drawings.put(stored, projectId));
    return true;
  } catch {
    return false;
  }
}

export const removeDrawing = (projectId: string): Promise<unknown> =>
  ask("readwrite", (drawings) => drawings.delete(projectId)).catch(() => undefined);

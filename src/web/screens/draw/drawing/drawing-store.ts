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

async function ask<T>(mode: IDBTransactionMode, act: (drawings: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const db = await open();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = db.transaction(store, mode);
      const request = act(transaction.objectStore(store));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = transaction.onabort = () => reject(transaction.error ?? new Error("The drawing was not kept."));
    });
  } finally {
    db.close();
  }
}

/** A device that keeps nothing (a private window, a full disk) draws all the same. */
const quietly = <T>(work: Promise<T>): Promise<T | undefined> => work.catch(() => undefined);

/** What a page left behind that had no time for more: newer than what the database has. */
const lastKey = (projectId: string): string => `bottega:drawing:${projectId}`;

export async function readDrawing(projectId: string): Promise<Blob | undefined> {
  const last = takeLast(projectId);
  // Decoded by hand: the page's policy lets no address of data be fetched.
  if (last)
    return new Blob([Uint8Array.from(atob(last.split(",")[1] ?? ""), (character) => character.charCodeAt(0))], { type: "image/jpeg" });
  return quietly(ask("readonly", (drawings) => drawings.get(projectId) as IDBRequest<Blob | undefined>));
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
export const writeDrawing = (projectId: string, drawing: Blob): Promise<unknown> =>
  quietly(ask("readwrite", (drawings) => drawings.put(drawing, projectId)));
export const removeDrawing = (projectId: string): Promise<unknown> => quietly(ask("readwrite", (drawings) => drawings.delete(projectId)));

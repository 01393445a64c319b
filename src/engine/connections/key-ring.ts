import { createHmac } from "node:crypto";

/** A version of the master key. */
export type MasterKey = { version: number; key: Uint8Array };

/** The versions that this server can open secrets with. They change while it serves, when the master key is rotated. */
export type KeyRing = {
  /** The newest first. */
  keys(): readonly MasterKey[];
  /** The one that new secrets are sealed with: the one that the database names, which all servers know. */
  active(): MasterKey;
  /** One of them, which may have come just now. */
  find(version: number): MasterKey | undefined;
};

/** A ring of one key, which stays as it is. */
export function oneKey(key: Uint8Array, version = 1): KeyRing {
  const only = { version, key };
  return {
    keys: () => [only],
    active: () => only,
    find: (wanted) => (wanted === version ? only : undefined),
  };
}

/** A key as it is written down: without a version it is the one that the database names, or the first. */
export type WrittenKey = { version: number | null; key: Uint8Array };

/** Keys as they are written down, separated by white space or commas: 64 hexadecimal digits each, after a version and a colon. */
export const keysForm = /^(?:\d{1,6}:)?[0-9a-f]{64}(?:[\s,]+(?:\d{1,6}:)?[0-9a-f]{64})*$/i;

/** What a database keeps of the master key: it tells two keys apart and opens nothing. */
export const checkOf = (masterKey: Uint8Array): string =>
  createHmac("sha256", masterKey).update("bottega master key").digest("hex");

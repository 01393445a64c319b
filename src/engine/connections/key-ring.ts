import { createHmac } from "node:crypto";

export type MasterKey = { version: number; key: Uint8Array };

/**
 * The master keys that this server can open secrets with. They change at run time when the master
 * key is rotated.
 */
export type KeyRing = {
  /** The newest first. */
  keys(): readonly MasterKey[];
  /** The key for new secrets: the version named in the database, which all servers have. */
  active(): MasterKey;
  /** Finds a version, which may have been added after the start. */
  find(version: number): MasterKey | undefined;
};

/**
 * A key as it is written in the configuration. Without a version, it is the one named in the
 * database, or the first.
 */
export type WrittenKey = { version: number | null; key: Uint8Array };

/**
 * Keys in the configuration, separated by white space or commas: 64 hexadecimal digits each,
 * optionally after a version and a colon.
 */
export const keysForm = /^(?:\d{1,6}:)?[0-9a-f]{64}(?:[\s,]+(?:\d{1,6}:)?[0-9a-f]{64})*$/i;

/**
 * The check value that a database stores of a master key. It tells two keys apart and can't open
 * anything.
 */
export const checkOf = (masterKey: Uint8Array): string =>
  createHmac("sha256", masterKey).update("bottega master key").digest("hex");

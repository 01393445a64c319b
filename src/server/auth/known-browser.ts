import { randomUUID } from "node:crypto";
import type { Signer } from "./signed-links.ts";

const lifetimeSeconds = 400 * 24 * 60 * 60;
const nameOf = (encrypted: boolean): string =>
  encrypted ? "__Host-bottega-known" : "bottega-known";
const signedParts = (id: string, email: string): string[] => ["known-browser", id, email];

/**
 * Reads the mark of a browser in which someone has signed in to this account before. Its wrong
 * passwords are counted separately, so that guessing from the same network doesn't slow the owner
 * down.
 * @returns undefined for a browser without a mark for this account
 */
export function knownBrowser(
  signer: Signer,
  cookies: string | null,
  encrypted: boolean,
  email: string,
): string | undefined {
  const pair = (cookies ?? "")
    .split(";")
    .find((one) => one.trim().startsWith(`${nameOf(encrypted)}=`));
  const [id = "", signature = ""] = pair?.slice(pair.indexOf("=") + 1).split(".") ?? [];
  return id && signer.isRight(signedParts(id, email), signature) ? id : undefined;
}

/** Returns the cookie that marks a browser for this account. An existing mark is kept. */
export function markBrowser(
  signer: Signer,
  known: string | undefined,
  encrypted: boolean,
  email: string,
): string {
  const id = known ?? randomUUID();
  const value = `${id}.${signer.sign(signedParts(id, email))}`;
  return `${nameOf(encrypted)}=${value}; Max-Age=${lifetimeSeconds}; Path=/; HttpOnly; SameSite=Lax${encrypted ? "; Secure" : ""}`;
}

import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";

/*
 * The sign-in server that the connection's manager entered. The tool server says where people sign
 * in, but is trusted only for its own address and public ones; within a private network, a person
 * must enter the server. Once one is entered, it is the only one: nothing of a sign-in goes
 * anywhere else, regardless of the tool server's later metadata.
 */

const plain = (address: string): string => new URL(address).href.replace(/\/+$/, "");

/** Whether this issuer is the entered one, or a realm below it; any is, if none was entered. */
export function isNamed(
  { connection: { addresses } }: Pick<CallContext, "connection">,
  issuer: string,
): boolean {
  const named = addresses.signIn;
  if (!named) return true;
  return URL.canParse(issuer) && `${plain(issuer)}/`.startsWith(`${plain(named)}/`);
}

/** @throws ProviderError for a URL on any server but the two that the connection names */
export function requireNamed(
  { connection: { addresses } }: Pick<CallContext, "connection">,
  url: URL,
): void {
  const { signIn: named, server = "" } = addresses;
  if (
    named &&
    ![named, server].some(
      (address) => URL.canParse(address) && new URL(address).origin === url.origin,
    )
  )
    throw otherPlace(url.origin, named);
}

/**
 * Checks where a tool server describes itself: once a sign-in server is entered, only at its own
 * address, because any page of the entered server could be meant.
 * @throws ProviderError
 */
export function requireOwn(
  { connection: { addresses } }: Pick<CallContext, "connection">,
  described: URL,
): void {
  const { signIn: named, server = "" } = addresses;
  if (!named || (URL.canParse(server) && new URL(server).origin === described.origin)) return;
  throw new ProviderError("provider_protocol", "no", {
    message: sentences.signIn.metadataElsewhere({ origin: described.origin.slice(0, 200) }),
    advice: sentences.signIn.metadataAdvice,
  });
}

export const otherPlace = (issuer: string, named = ""): ProviderError =>
  new ProviderError("provider_protocol", "no", {
    message: sentences.signIn.unexpectedServer({ issuer: issuer.slice(0, 200), allowed: named }),
    advice: sentences.signIn.changeServer,
  });

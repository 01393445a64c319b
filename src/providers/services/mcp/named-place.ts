import { type CallContext, ProviderError } from "../../adapter.ts";

/*
 * The server at which people sign in, where whoever manages the connection has named it. The server of tools says where people sign in, and
 * is not believed further than its own address and the public ones; in a company's own network a person's word is needed. Once there
 * is one, it is the only word: nothing of a sign-in goes anywhere else, whatever the server of tools says later.
 */

const plain = (address: string): string => new URL(address).href.replace(/\/+$/, "");

/** Whether this issuer is the one that is named, or a realm below it; any is, where none is named. */
export function isNamed(
  { connection: { addresses } }: Pick<CallContext, "connection">,
  issuer: string,
): boolean {
  const named = addresses.signIn;
  if (!named) return true;
  return URL.canParse(issuer) && `${plain(issuer)}/`.startsWith(`${plain(named)}/`);
}

/** @throws ProviderError for the address of another server than the two that the connection names */
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
 * Where a server of tools describes itself: once a sign-in server is named, at itself alone, for any page of the named one could be meant.
 * @throws ProviderError
 */
export function requireOwn(
  { connection: { addresses } }: Pick<CallContext, "connection">,
  described: URL,
): void {
  const { signIn: named, server = "" } = addresses;
  if (!named || (URL.canParse(server) && new URL(server).origin === described.origin)) return;
  throw new ProviderError("provider_protocol", "no", {
    message: `This server says that it is described at ${described.origin.slice(0, 200)}, and only its own address is believed for that.`,
    advice: "Whoever runs it can name an address of its own for it.",
  });
}

export const otherPlace = (issuer: string, named = ""): ProviderError =>
  new ProviderError("provider_protocol", "no", {
    message: `This server sends people to ${issuer.slice(0, 200)} to sign in, and the connection names ${named} for it.`,
    advice: "If that is right, change the sign-in server under Edit.",
  });

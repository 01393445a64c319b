/**
 * Where a sign-in leads: the wanted path when it is one of ours, else "/". A browser reads "//host" and "/\host" as another
 * site, so the address is judged as it would be opened, and once more as it is given back: "/.//host" becomes "//host".
 */
export function safeNext(wanted: string | undefined, origin: string): string {
  if (!wanted?.startsWith("/") || !URL.canParse(wanted, origin)) return "/";
  const url = new URL(wanted, origin);
  const isForGuests = ["/login", "/setup"].includes(url.pathname);
  const isElsewhere = url.origin !== origin || url.pathname.startsWith("//");
  return !isElsewhere && !isForGuests ? `${url.pathname}${url.search}${url.hash}` : "/";
}

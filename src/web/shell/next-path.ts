/**
 * The address after a sign-in: the wanted path if it is on this origin, otherwise "/". Browsers
 * read "//host" and "/\host" as another site, so the path is checked as a browser would open it,
 * and again as it is returned, because "/.//host" becomes "//host".
 */
export function safeNext(wanted: string | undefined, origin: string): string {
  if (!wanted?.startsWith("/") || !URL.canParse(wanted, origin)) return "/";
  const url = new URL(wanted, origin);
  const isForGuests = ["/login", "/setup"].includes(url.pathname);
  const isElsewhere = url.origin !== origin || url.pathname.startsWith("//");
  return !isElsewhere && !isForGuests ? `${url.pathname}${url.search}${url.hash}` : "/";
}

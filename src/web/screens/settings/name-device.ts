// The order decides: Edge and Opera call themselves Chrome as well, Chrome calls itself Safari,
// Android calls itself Linux.
const browsers = [
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["Firefox/", "Firefox"],
  ["HeadlessChrome/", "Chrome"],
  ["Chrome/", "Chrome"],
  ["CriOS/", "Chrome"],
  ["Safari/", "Safari"],
] as const;
const systems = [
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Android", "Android"],
  ["Windows", "Windows"],
  ["Mac OS X", "Mac"],
  ["CrOS", "ChromeOS"],
  ["Linux", "Linux"],
] as const;

/** The browser and system named in a `User-Agent`; null if it names neither, such as a script's. */
export function nameDevice(userAgent: string | null): { browser: string; system: string } | null {
  const find = (list: readonly (readonly [string, string])[]) =>
    list.find(([mark]) => userAgent?.includes(mark))?.[1];
  const browser = find(browsers);
  const system = find(systems);
  return browser && system ? { browser, system } : null;
}

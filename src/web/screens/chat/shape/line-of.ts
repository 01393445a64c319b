/**
 * The line (from 1) of the value at a path in a JSON text, or of its innermost ancestor that
 * exists. The text must be valid JSON.
 */
export function lineOf(text: string, path: readonly string[]): number {
  let at = 0;
  const skipSpace = () => {
    while (/\s/.test(text[at] ?? "")) at++;
  };
  const readString = (): string => {
    const start = at++;
    while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
    return JSON.parse(text.slice(start, ++at)) as string;
  };
  /**
   * Skips a value. Calls `enter` with the key of each child, and stops there if it returns true.
   */
  function pass(enter: (key: string) => boolean): boolean {
    skipSpace();
    const open = text[at];
    if (open === '"') readString();
    else if (open !== "{" && open !== "[")
      while (at < text.length && !/[\s,\]}]/.test(text[at] ?? "")) at++;
    else {
      at++;
      for (let place = 0; ; place++) {
        skipSpace();
        if (text[at] === ",") at++;
        skipSpace();
        if (text[at] === "}" || text[at] === "]") return Boolean(++at) && false;
        const key = open === "{" ? readString() : String(place);
        skipSpace();
        if (open === "{") at++;
        skipSpace();
        if (enter(key)) return true;
        pass(() => false);
      }
    }
    return false;
  }
  let found = 0;
  for (const wanted of path) {
    if (!pass((key) => key === wanted)) break;
    found = at;
  }
  return text.slice(0, found).split("\n").length;
}

/**
 * In which line of a JSON text (from 1) the value stands that these keys lead to, or the innermost of it that is there. The text
 * has to be JSON.
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
  /** Past a value; each of its own is given to `enter` with its key, which may stop there. */
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

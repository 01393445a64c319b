import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const web = join(import.meta.dirname, "..");
const files = globSync("**/*.{ts,tsx}", { cwd: web }).filter((path) => !/\.test\.tsx?$/.test(path));

/** The text up to the bracket that closes the one before `from`, cut at the commas that stand in no other bracket. */
function partsOf(text: string, from: number): { parts: string[]; end: number } {
  const parts = [""];
  for (let at = from, depth = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (depth === 0 && character === "]")
      return { parts: parts.map((part) => part.trim()).filter(Boolean), end: at + 1 };
    if ("([{".includes(character)) depth++;
    if (")]}".includes(character)) depth--;
    if (depth === 0 && character === ",") parts.push("");
    else parts.push(`${parts.pop() ?? ""}${character}`);
  }
  return { parts: [], end: text.length };
}

/** A key's parts as they are compared: texts as such, a list of the file that is named as what it holds, all else as "*". */
function readParts(text: string, parts: readonly string[]): string[] {
  return parts.flatMap((part) => {
    const named = /^\.\.\.(\w+)$/.exec(part)?.[1];
    const list = named === undefined ? null : new RegExp(`const ${named} = \\[`).exec(text);
    if (list) return readParts(text, partsOf(text, list.index + list[0].length).parts);
    return /^"[^"]*"$/.test(part) ? part : "*";
  });
}

/** The keys under which a file keeps what it asks for: with a function beside them. */
function keysOf(text: string): string[] {
  return [...text.matchAll(/queryKey: (?:\[|(\w+))/g)].flatMap((found) => {
    const from = found.index + found[0].length;
    const { parts, end } =
      found[1] === undefined ? partsOf(text, from) : { parts: [`...${found[1]}`], end: from };
    return /^,\s*(?:async )?queryFn\b/.test(text.slice(end))
      ? [readParts(text, parts).join(" ")]
      : [];
  });
}

it("a query's key has one home: two would keep things of two shapes in one place", () => {
  const homes = new Map<string, string[]>();
  for (const path of files)
    for (const key of keysOf(readFileSync(join(web, path), "utf8")))
      homes.set(key, [...(homes.get(key) ?? []), path]);
  // A key that is written in another way would not be seen here.
  expect(homes.size).toBeGreaterThan(40);
  expect([...homes].filter(([, paths]) => paths.length > 1)).toEqual([]);
});

it("every query's key stands beside what asks for it, so that it is found here", () => {
  const apart = files.filter((path) => {
    const text = readFileSync(join(web, path), "utf8");
    return [...text.matchAll(/\bqueryFn(: |\(\{ signal)/g)].length !== keysOf(text).length;
  });
  expect(apart).toEqual([]);
});

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const web = join(import.meta.dirname, "..");
const files = globSync("**/*.{ts,tsx}", { cwd: web })
  .filter((path) => !path.includes(".test."))
  .map((path) => readFileSync(join(web, path), "utf8"));

/** The keys under which a file caches its queries, without the variable parts: "runs open". */
const cachedIn = (text: string): string[] =>
  [...text.matchAll(/queryKey: keys\.(\w+)\(([^()]*)\),\s*(?:async )?queryFn\b/g)].map(
    ([, name, parts]) => [name, ...(parts?.match(/(?<=^|, )"[^"]*"/g) ?? [])].join(" "),
  );

it("no two queries cache differently shaped responses under one key", () => {
  const cached = files.flatMap(cachedIn);
  expect(cached.toSorted()).toEqual([...new Set(cached)].toSorted());
});

it("a query names its key where it is made, so that it can be compared here", () => {
  const asking = files.filter(
    (text) => (text.match(/\bqueryFn(: |\(\{ signal)/g)?.length ?? 0) !== cachedIn(text).length,
  );
  expect(asking).toEqual([]);
});

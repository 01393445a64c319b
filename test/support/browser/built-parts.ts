import { readFileSync } from "node:fs";
import { join } from "node:path";

type BuiltFiles = Record<string, { name?: string; file: string }>;
const manifest = join(
  import.meta.dirname,
  "..",
  "..",
  "..",
  "dist",
  "web",
  ".vite",
  "manifest.json",
);

/**
 * A pattern for the address of a part's script. Files are named only by their hashes; the build's
 * manifest maps parts to files.
 */
export function scriptOfPart(part: string): string {
  const built = JSON.parse(readFileSync(manifest, "utf8")) as BuiltFiles;
  const found = Object.values(built).find(
    ({ name, file }) => name === part && file.endsWith(".js"),
  );
  if (!found) throw new Error(`the build has no part "${part}"`);
  return `**/${found.file}`;
}

import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { kinds } from "./index.ts";
import { presets } from "./presets/index.ts";

const isPreset = (kind: string) => presets.some((preset) => preset.kind === kind);

const folderOf = (kind: string) => {
  if (isPreset(kind)) return "./presets/";
  return kind === "builtin" ? "./builtin/" : `./services/${kind}/`;
};

/** Returns the text of all tests in an adapter's folder. */
async function testsOf(kind: string): Promise<string> {
  const folder = new URL(folderOf(kind), import.meta.url);
  const files = (await readdir(fileURLToPath(folder))).filter((name) => name.endsWith(".test.ts"));
  return (await Promise.all(files.map((name) => readFile(new URL(name, folder), "utf8")))).join(
    "\n",
  );
}

/** Tool servers have no models; their own tests cover their answers. */
const withModels = kinds.filter(({ tasks }) => tasks.some((task) => task !== "tool"));

it.each(withModels.map((kind) => [kind.kind, kind] as const))(
  "%s fulfills the contract of all adapters",
  async (kind, { tasks, load }) => {
    const tests = await testsOf(kind);
    const { job } = await load();
    const wanted =
      kind === "builtin"
        ? ["keepsTheOwnContract"]
        : [
            ...(tasks.includes("chat") ? ["keepsTheChatContract"] : []),
            ...(tasks.some((task) => task !== "chat") ? ["keepsTheMediaContract"] : []),
            ...(job ? ["keepsTheJobContract"] : []),
          ];
    expect(wanted).not.toEqual([]);
    for (const contract of wanted) expect(tests).toContain(`${contract}({`);
  },
);

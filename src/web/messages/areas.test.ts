import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { type ScreenName, screens } from "#contract/screens.ts";
import { editorAreas, viewerAreas } from "../components/viewer/viewer-areas.ts";
import { promptHelpAreas } from "../screens/create/prompt-help/help-kind.ts";
import { areasOf, laterAreasOf } from "./areas.ts";

const web = join(import.meta.dirname, "..");
/**
 * Also includes areas loaded by components: those that open over any screen, and parts loaded at
 * first use.
 */
const everywhere = [
  "ui",
  "shell",
  "screens",
  "components",
  "newProject",
  "palette",
  "pick",
  "camera",
  "voice",
  "answerInspector",
  "thread",
  "answers",
  "blocks",
  "exports",
  "feedback",
  "find",
  "switches",
  "tools",
  "context",
  "shape",
  "resolve",
  "notices",
  "chatTrash",
  "deletion",
];
/**
 * Components that load their own texts, some of which screens use as well: each file, with the
 * areas loaded when it opens.
 */
const bringers: [string, readonly string[]][] = [
  ["components/viewer/viewer.tsx", viewerAreas],
  ["components/asset/tile-toolbar.tsx", viewerAreas],
  ["components/editor/editor.tsx", editorAreas],
  ["components/asset/sound-player.tsx", ["asset"]],
  ["screens/chat/folders/filing-dialog.tsx", [...areasOf.chat, "asset"]],
  ["screens/create/prompt-help/prompt-help-dialog.tsx", [...areasOf.create, ...promptHelpAreas]],
];
const apart = bringers.map(([file]) => join(web, file));

/** The area of each text id, and the texts of all areas in sequence. */
const areaOf = new Map<string, string>();
const held: string[] = [];
for (const file of globSync(join(web, "messages/en/*/*.ts"))) {
  const module: Record<string, Record<string, string>> = await import(file);
  for (const [area, texts] of Object.entries(module)) {
    held.push(...Object.keys(texts));
    for (const id of Object.keys(texts)) areaOf.set(id, area);
  }
}

/**
 * The areas of the text ids in a source, including ids built from parts:
 * `t(\`create.show.${name}\`)`.
 */
function areasIn(source: string): string[] {
  const code = source.replace(/^ *(?:\/\/|\/?\*).*$/gm, "");
  return [...code.matchAll(/["'`]([a-z]+\.[\w.-]*)(\$\{)?/gi)].flatMap(([, name = "", isBegun]) => {
    const ids = isBegun ? [...areaOf.keys()].filter((id) => id.startsWith(name)) : [name];
    return ids.flatMap((id) => areaOf.get(id) ?? []);
  });
}

const moduleOf = (name: string, from: string) => {
  if (name.startsWith(".")) return join(dirname(from), name);
  return name.startsWith("#") ? join(web, "..", name.slice(1)) : null;
};

/**
 * A file with everything it imports, statically or lazily; with `atFirst`, without lazy parts. Type
 * imports don't count, and the texts of all screens are covered by areasOf.
 */
function reachedFrom(start: string, atFirst = false): Set<string> {
  const reached = new Set<string>();
  const waiting = [start];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (apart.includes(file) && file !== start) continue;
    if (reached.has(file) || file.includes("/messages/en") || !/\.tsx?$/.test(file)) continue;
    reached.add(file);
    const source = readFileSync(file, "utf8");
    const names = source.matchAll(
      /^(?:import|export) (?!type )(?:[^;"]* from )?"([^"]+)"|(\bfirstPart\(\s*\(\) =>\s*)?\bimport\("([^"]+)"\)/gm,
    );
    for (const [, now, first, later] of names)
      if (now || first || !atFirst) waiting.push(moduleOf(now ?? later ?? "", file) ?? "");
  }
  return reached;
}

/** The areas used by the files that a file reaches, each with one of those files. */
function saidFrom(start: string, atFirst = false): Map<string, string> {
  const files = [...reachedFrom(start, atFirst)];
  return new Map(
    files.flatMap((file) =>
      areasIn(readFileSync(file, "utf8")).map((area) => [area, file] as const),
    ),
  );
}

it.each(Object.keys(screens) as ScreenName[])(
  "%s loads the texts of everything it opens, and no others",
  (screen) => {
    const [file = ""] = globSync(join(web, `screens/*/${screen}-screen.tsx`));
    expect(file).not.toBe("");
    const said = [...saidFrom(file).keys()].filter((area) => !everywhere.includes(area));
    expect(said.sort()).toEqual([...areasOf[screen]].sort());
  },
);

it.each(Object.keys(laterAreasOf) as ScreenName[])(
  "%s shows no text at first that only its lazy parts load",
  (screen) => {
    const [file = ""] = globSync(join(web, `screens/*/${screen}-screen.tsx`));
    const atFirst = [...saidFrom(file, true).keys()].filter((area) => !everywhere.includes(area));
    const first = areasOf[screen].filter((area) => !laterAreasOf[screen]?.includes(area));
    expect(atFirst.sort()).toEqual(first.sort());
  },
);

it.each(bringers)("%s includes all the texts that it shows", (file, own) => {
  const said = [...saidFrom(join(web, file)).keys()];
  expect(said.filter((area) => !everywhere.includes(area) && !own.includes(area))).toEqual([]);
});

it("each text is in one area", () => {
  expect(held.filter((id, index) => held.indexOf(id) !== index)).toEqual([]);
});

it("the frame shows no text that only a screen loads", () => {
  const said = saidFrom(join(web, "main.tsx"));
  for (const area of everywhere) said.delete(area);
  expect([...said]).toEqual([]);
});

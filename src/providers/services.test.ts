import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { readManual } from "./builtin/guide/manual.ts";
import { kinds } from "./index.ts";

/** Kinds documented on other pages, because nobody connects them with a key of their own. */
const elsewhere: Readonly<Record<string, string>> = {
  builtin: "docs/manual/built-in-models.md",
  mcp: "docs/manual/tools.md",
};

const pageOf = ({ kind, group }: (typeof kinds)[number]): string =>
  elsewhere[kind] ?? `docs/manual/services/${group}/${kind}.md`;

it.each(kinds.filter(({ kind }) => !(kind in elsewhere)).map((kind) => [kind.name, kind] as const))(
  "%s has a manual page: how to connect it, what it costs, what is sent, how it fails",
  async (_name, kind) => {
    const page = pageOf(kind);
    const sections = (await readManual()).filter(({ document }) => document.split("#")[0] === page);
    const titles = sections.map(({ title }) => title);
    expect(sections[0]?.names, page).not.toEqual([]);
    for (const wanted of [/^Connect /, /^What .+ costs$/, /^What is sent to /, /^When .+ fails$/])
      expect(
        titles.filter((title) => wanted.test(title)),
        page,
      ).toHaveLength(1);
    const connect = sections.find(({ title }) => title.startsWith("Connect "))!.text;
    // The page names the path in the app, and each required field by its label.
    expect(connect).toMatch(/Connections/);
    for (const { label, required, advanced, when } of kind.fields)
      if (required && !advanced && !when) expect(connect, page).toContain(`*${label}*`);
  },
);

it("the list of services links every page", async () => {
  const overview = await readFile(
    new URL("../../docs/manual/services.md", import.meta.url),
    "utf8",
  );
  for (const kind of kinds)
    expect(overview).toContain(`(${pageOf(kind).replace("docs/manual/", "")})`);
});

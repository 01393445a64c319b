import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { routes } from "#contract/routes/index.ts";
import * as areas from "./messages/en.ts";

const en: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(areas));
const root = new URL("../../", import.meta.url).pathname;
const read = (file: string) => readFileSync(`${root}${file}`, "utf8");

/** A row in the manual's tables of actions. */
type Row = { ids: string[]; text: string; apis: string[] };

const sections = globSync("docs/manual/actions/*.md", { cwd: root })
  .flatMap((file) => read(file).split(/^## /m).slice(1))
  .map((section): Row => {
    const ids = /<!-- acts: (.*) -->/.exec(section)?.[1]?.split(" ") ?? [];
    const apis = [...section.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) [^`]+)`/g)];
    return { ids, text: section, apis: apis.map(([, api]) => api!) };
  });

/** The calls by which a file offers acts to the palette. */
const offers =
  /\b(useCommands|useActions|useViewerActions|useElementAction|useRowActions|ActionButton|ActionPopover|ActionMenu|commandsOf|MenuEntry|RowAction|ViewerAction|EndedAction)\b/;
/** Messages in such files that aren't acts: a dialog's title, a reason, a filter's heading. */
const noActions = new Set(["audit.entry", "audit.action.all", "run.modelGone"]);

/** The message ids of `t("a")`, `t(is ? "a" : "b")` and `t(`a.${one}`)` in code. */
const messagesIn = (code: string): string[] =>
  [
    ...code.matchAll(/\bt\(\s*(?:"([^"]+)"|[^?"()]+\?\s*"([^"]+)"\s*:\s*"([^"]+)"|`([^`]+)`)/g),
  ].flatMap((match) => match.slice(1).filter((id) => id !== undefined));

/**
 * The palette's acts as declared in their files: each one's message, and its shortcut if it is
 * written there.
 */
function findActions(): { id: string; key: string | undefined }[] {
  const files = globSync("src/web/**/*.{ts,tsx}", { cwd: root }).filter(
    (file) => !/\.test\.|\/(frame|ui)\//.test(file) && offers.test(read(file)),
  );
  return files.flatMap((file) => {
    const code = read(file);
    const isAction = (part: string): boolean =>
      code.includes("useElementAction") ||
      /^[\s\S]{0,420}?\b(run|onSelect)\b\s*[:(,}]/.test(part) ||
      /^[^{}]*\bicon: [A-Z]/.test(part);
    const stated = code
      .split(/(?=\b(?:title|label): t\()/)
      .slice(1)
      .filter(isAction)
      .flatMap((part) => {
        const key = /^[\s\S]{0,200}?shortcut: "([^"]+)"/.exec(part)?.[1];
        const [statement = ""] = /^\w+: t\((?:[^()]|\([^()]*\))*/.exec(part) ?? [];
        return messagesIn(statement).map((id) => ({ id, key }));
      });
    const buttons = [...code.matchAll(/<ActionButton\b[\s\S]*?<\/ActionButton>/g)]
      .flatMap(([button]) => messagesIn(button))
      .concat(
        [...code.matchAll(/<ActionPopover\b[^>]*?\btitle=\{t\("([^"]+)"\)/g)].map(([, id]) => id!),
      )
      .concat([...code.matchAll(/\bcommand\(\s*"([^"]+)"/g)].map(([, id]) => id!))
      .map((id) => ({ id, key: undefined }));
    return [...stated, ...buttons].filter(({ id }) => !noActions.has(id));
  });
}

const actions = findActions();

/** The fixed words of a message: for "Resolve {title}", the first. */
const fixedWords = (message: string): string[] =>
  message
    .replace(/\{\w+, (?:select|plural),((?: [\w=]+ \{[^}]*\})+)\}/g, (_all, cases: string) =>
      [...cases.matchAll(/\{([^}]*)\}/g)].map(([, one]) => `${one}\n`).join(""),
    )
    .split(/\n|\{[^}]*\}|#/)
    .map((part) => part.replace(/[\s,:]+$|^[\s,:]+/g, ""))
    .filter((part) => part.length > 1);

it("finds the palette's actions in the code", () => {
  expect(actions.length).toBeGreaterThan(150);
});

it("the manual lists every action of the palette by its words on screen", () => {
  const missing = actions.filter(({ id }) => {
    const prefix = id.split("${")[0]!;
    const isListed = (one: string) => (id === prefix ? one === id : one.startsWith(prefix));
    return !sections.some(({ ids }) => ids.some(isListed));
  });
  expect(missing.map(({ id }) => `${id}: ${en[id]}`)).toEqual([]);
  for (const { ids, text } of sections)
    for (const id of ids)
      for (const words of fixedWords(en[id] ?? `${id} is no message`))
        expect(text, id).toContain(words);
});

it("the manual gives the key of each action that has one", () => {
  const nameOf = (key: string) =>
    key
      .replace("mod", "Ctrl")
      .split(/(?<=.)\+/)
      .map((part) => part[0]!.toUpperCase() + part.slice(1))
      .join("-");
  for (const { id, key } of actions) {
    const row = sections.find(({ ids }) => ids.includes(id));
    const name = key === "left" ? "←" : key === "right" ? "→" : key && nameOf(key);
    if (row && name) expect(row.text, id).toContain(`**${name}**`);
  }
});

it("the manual names only existing API calls", () => {
  const known = new Set(
    Object.values(routes).map(({ method, path }) => `${method} ${path.replace("/api/v1", "")}`),
  );
  for (const api of sections.flatMap(({ apis }) => apis)) expect(known).toContain(api);
});

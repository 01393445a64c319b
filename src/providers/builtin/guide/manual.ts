import { readdir, readFile } from "node:fs/promises";

/** An answerable part of the manual: a page's introduction or one of its sections. */
export type Section = {
  id: number;
  /** The heading; for a page's introduction the page's title. */
  title: string;
  pageTitle: string;
  /** "docs/manual/runs.md#try-again" */
  document: string;
  /** Other words for the subject, from the comment below the heading. */
  also: string;
  /**
   * For a page about one service: its names, from the comment below its title. Only a question that
   * contains one of them is about it.
   */
  names?: string[];
  /** Markdown, without the heading. */
  text: string;
};

/** The manual's folder; the path is the same from src/ and from dist/. */
const manualFolder = new URL("../../../../docs/manual/", import.meta.url);

/**
 * Reads all pages.
 * @throws when the folder is missing, because then the installation is incomplete
 */
export async function readManual(folder: URL = manualFolder): Promise<Section[]> {
  const files = (await readdir(folder, { recursive: true }))
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".md"))
    .sort();
  const pages = await Promise.all(
    files.map(async (file) => splitPage(file, await readFile(new URL(file, folder), "utf8"))),
  );
  return pages.flat().map((section, id) => ({ id, ...section }));
}

function splitPage(file: string, page: string): Omit<Section, "id">[] {
  const [opening = "", ...rest] = page.split(/^## /m);
  const [, heading = file, lead = ""] = /^# (.+)\n([\s\S]*)$/.exec(opening) ?? [];
  const document = `docs/manual/${file}`;
  const names = /<!-- names: ([\s\S]*?) -->/.exec(lead)?.[1]?.split(",");
  const pageTitle = withCurlyQuotes(heading);
  const of = { pageTitle, ...(names && { names: names.map((name) => name.trim()) }) };
  const sections = rest.map((part) => {
    const [heading = "", ...lines] = part.split("\n");
    return {
      title: withCurlyQuotes(heading.trim()),
      document: `${document}#${toAnchor(heading)}`,
      ...of,
      ...readBody(lines.join("\n")),
    };
  });
  const first = { title: pageTitle, document, ...of, ...readBody(lead) };
  return first.text === "" ? sections : [first, ...sections];
}

function readBody(body: string): Pick<Section, "also" | "text"> {
  const also = /<!-- also: ([\s\S]*?) -->/.exec(body)?.[1] ?? "";
  return { also, text: withCurlyQuotes(body.replace(/<!--[\s\S]*?-->/g, "").trim()) };
}

/** Sources have straight quotes, screens curly ones. Code keeps its own. */
const withCurlyQuotes = (markdown: string): string =>
  markdown
    .split(/(^```[\s\S]*?^```|`[^`\n]*`)/m)
    .map((part, place) =>
      place % 2 === 1 ? part : part.replace(/(?<=\p{L})'/gu, "’").replace(/"([^"\n]*)"/g, "“$1”"),
    )
    .join("");

/** Returns a heading's anchor as GitHub derives it. */
const toAnchor = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, "")
    .replaceAll(" ", "-");

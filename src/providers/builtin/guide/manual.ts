import { readdir, readFile } from "node:fs/promises";

/** One answerable piece of the manual: a page's opening or one of its sections. */
export type Section = {
  id: number;
  /** The heading; for a page's opening the page's own title. */
  title: string;
  pageTitle: string;
  /** "docs/manual/runs.md#try-again" */
  document: string;
  /** Other words that people ask with, from the comment below the heading. */
  also: string;
  /** Markdown, without the heading. */
  text: string;
};

/** The manual's folder; the path is the same from src/ and from dist/. */
const manualFolder = new URL("../../../../docs/manual/", import.meta.url);

/** Reads all pages. Throws when the folder is missing: the program is not whole then. */
export async function readManual(folder: URL = manualFolder): Promise<Section[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".md")).sort();
  const pages = await Promise.all(
    files.map(async (file) => splitPage(file, await readFile(new URL(file, folder), "utf8"))),
  );
  return pages.flat().map((section, id) => ({ id, ...section }));
}

function splitPage(file: string, page: string): Omit<Section, "id">[] {
  const [opening = "", ...rest] = page.split(/^## /m);
  const [, pageTitle = file, lead = ""] = /^# (.+)\n([\s\S]*)$/.exec(opening) ?? [];
  const document = `docs/manual/${file}`;
  const sections = rest.map((part) => {
    const [heading = "", ...lines] = part.split("\n");
    const body = lines.join("\n");
    const also = /<!-- also: ([\s\S]*?) -->/.exec(body)?.[1] ?? "";
    return {
      title: heading.trim(),
      pageTitle,
      document: `${document}#${toAnchor(heading)}`,
      also,
      text: body.replace(/<!--[\s\S]*?-->/g, "").trim(),
    };
  });
  const isEmpty = lead.trim() === "";
  return isEmpty
    ? sections
    : [{ title: pageTitle, pageTitle, document, also: "", text: lead.trim() }, ...sections];
}

/** A heading's address as GitHub makes it. */
const toAnchor = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, "")
    .replaceAll(" ", "-");

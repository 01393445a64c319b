/** Longer titles would be cut off in every list. */
const maxCharacters = 60;

/** More of a line is never part of its title. */
const readCharacters = 1_000;

/** A line without the marks of Markdown, and without a colon that announces the next lines. */
const toWords = (line: string): string =>
  line
    .slice(0, readCharacters)
    .trim()
    .replace(/^(?:`{3,}|~{3,}).*$/, "")
    .replace(/^(?:#{1,6}|>|[-*+])\s+/, "")
    .replace(/(?<!\w)\*\*(\S[^*]*)\*\*(?!\w)/g, "$1")
    .replace(/`([^`]+)`/g, "$1")
    .replace(/:$/, "")
    .trim();

/** The first line with words as a title; undefined for blank text. */
export function titleOf(text: string): string | undefined {
  const line = text
    .slice(0, 10 * readCharacters)
    .split("\n")
    .map(toWords)
    .find((words) => words !== "");
  if (line === undefined) return undefined;
  const characters = [...line];
  return characters.length <= maxCharacters
    ? line
    : `${characters
        .slice(0, maxCharacters - 1)
        .join("")
        .trimEnd()}…`;
}

/** A model's title without the markup that models put around it. */
export function titleFromModel(text: string): string | undefined {
  const line = text
    .split("\n")
    .map((one) =>
      one
        .replace(/^[#>*\s-]+/, "")
        .replace(/^title\s*:\s*/i, "")
        .replace(/^["“”„«'*_`\s]+|["“”»'*_`.\s]+$/g, "")
        .trim(),
    )
    .find((one) => one !== "");
  return line === undefined ? undefined : titleOf(line);
}

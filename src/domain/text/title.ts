/** Longer titles would be cut off in every list. */
const mostCharacters = 60;

/** The first line of a text as a title; undefined for blank text. */
export function titleOf(text: string): string | undefined {
  const line = text.trim().split("\n")[0]?.trim() ?? "";
  if (line === "") return undefined;
  const characters = [...line];
  return characters.length <= mostCharacters
    ? line
    : `${characters
        .slice(0, mostCharacters - 1)
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

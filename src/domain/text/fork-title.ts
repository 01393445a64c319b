const numbered = / \((\d{1,4})\)$/;

/**
 * "Cover ideas" becomes "Cover ideas (2)", then "Cover ideas (3)". A long title is cut so that its
 * number stays visible.
 */
export function forkTitle(title: string, maxCharacters: number): string {
  if (title === "") return "";
  const number = Number(numbered.exec(title)?.[1] ?? 1) + 1;
  const suffix = ` (${number})`;
  const name = [...title.replace(numbered, "")];
  const room = maxCharacters - suffix.length;
  const shown = name.join("").length <= room ? name.join("") : `${cut(name, room - 1)}…`;
  return shown + suffix;
}

function cut(characters: readonly string[], most: number): string {
  let text = "";
  for (const character of characters) {
    if (text.length + character.length > most) break;
    text += character;
  }
  return text.trimEnd();
}

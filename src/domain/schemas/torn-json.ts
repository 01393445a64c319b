/**
 * Reads a top-level text field of a JSON object that may be cut off anywhere after it.
 * @returns undefined if the text is incomplete, or a list or an object precedes it
 */
export function textInTornJson(json: string, field: string): string | undefined {
  const text = '"(?:[^"\\\\]|\\\\.)*"';
  const [, found] =
    new RegExp(`^\\s*\\{(?:[^{}[\\]"]|${text})*?${JSON.stringify(field)}\\s*:\\s*(${text})`).exec(
      json,
    ) ?? [];
  try {
    return found === undefined ? undefined : (JSON.parse(found) as string);
  } catch {
    return undefined;
  }
}

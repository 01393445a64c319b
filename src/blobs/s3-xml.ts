const entities: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/**
 * The text of the first element of this name, entities resolved. Enough for S3's answers, which are flat lists of elements
 * without attributes that matter; a whole XML parser would be the larger risk.
 */
export function tagText(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replace(
    /&(lt|gt|amp|quot|apos);|&#(\d+);/g,
    (_, entity: string | undefined, code: string | undefined) =>
      entity ? entities[entity]! : String.fromCodePoint(Number(code)),
  );
}

/** The inside of every element of this name, in order. */
export function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, "g"))].map(
    (match) => match[1]!,
  );
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

type HtmlValue = string | number | Html | null | readonly HtmlValue[];

/**
 * HTML that is escaped by construction: only `html` creates it, and every value in such a template
 * is text unless another template created it. Attributes have to be quoted.
 */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  static of(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
    return new Html(
      strings.map((text, index) => text + (index in values ? toText(values[index]!) : "")).join(""),
    );
  }

  toString(): string {
    return this.#text;
  }
}

export const html = Html.of;

function toText(value: HtmlValue | null): string {
  if (value === null) return "";
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) return value.map(toText).join("");
  return String(value).replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}

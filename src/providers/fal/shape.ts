export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A captive portal's or a web site's page, where an API was expected. */
export const isHtml = (response: Response, text: string) =>
  response.headers.get("content-type")?.includes("text/html") === true || /^\s*<(!doctype|html)/i.test(text);

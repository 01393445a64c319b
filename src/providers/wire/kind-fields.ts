import type { ConnectionField, ConnectionKind } from "../adapter.ts";

export const keyField = (words: { hint: string; label?: string }): ConnectionField => ({
  name: "key",
  label: "API key",
  kind: "secret",
  required: true,
  ...words,
});

/** The API's base URL, which only a gateway or a region replaces. */
export const baseUrlField = (placeholder: string, hint?: string): ConnectionField => ({
  name: "api",
  label: "Base URL",
  kind: "url",
  required: false,
  address: "api",
  advanced: true,
  placeholder,
  ...(hint !== undefined && { hint }),
});

/**
 * Describes a hosted service that needs only a key. `more` follows the fields of the key and the
 * base URL.
 */
export const hostedKind = ({
  api,
  keyHint,
  apiHint,
  more = [],
  ...kind
}: Omit<ConnectionKind, "docs" | "fields" | "addresses"> & {
  api: string;
  keyHint: string;
  apiHint?: string;
  more?: readonly ConnectionField[];
}): ConnectionKind => ({
  ...kind,
  docs: `${kind.kind}.md`,
  fields: [keyField({ hint: keyHint }), baseUrlField(api, apiHint), ...more],
  addresses: { api },
});

import type { ConnectionField, ConnectionKind } from "../adapter.ts";

export const keyField = (words: { hint: string; label?: string }): ConnectionField => ({
  name: "key",
  label: "API key",
  kind: "secret",
  required: true,
  ...words,
});

/** The address of the API, which only a gateway or a region replaces. */
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

/** A hosted service that needs a key and nothing else; `more` follows the key and the address. */
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

import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { fieldsAskedFor } from "#domain/schemas/connection-fields.ts";
import type { ConnectionField, ConnectionKind } from "#providers/adapter.ts";
import { cleanAddress, cleanKey } from "./pasted-values.ts";

export type ConnectionValues = Record<string, string | number | boolean>;
/** `secrets` holds only the given ones, by field name. */
export type SortedValues = {
  baseUrls: Record<string, string>;
  options: JsonObject;
  secrets: Record<string, string>;
  /** Null for the default. */
  places: { text: number | null; media: number | null };
};

/** The form fields of a kind: its own, and those that every connection has. */
export const fieldsOf = (kind: ConnectionKind): ConnectionField[] => [
  ...kind.fields,
  ...placeFields.map(
    ({ name, label, hosted, hint }): ConnectionField => ({
      name,
      label,
      kind: "number",
      required: false,
      advanced: true,
      placeholder: String(kind.runsOn === "local" ? (kind.localSlots ?? 1) : hosted),
      hint: `${hint} More runs wait in the queue; people and API keys take turns. A server of your own has as many as it tells of, or 1.`,
    }),
  ),
];

const placeFields = [
  {
    name: "textPlaces",
    label: "Text runs at once",
    place: "text",
    hosted: limits.textSlots,
    hint: "Chats, embeddings and tools.",
  },
  {
    name: "mediaPlaces",
    label: "Media runs at once",
    place: "media",
    hosted: limits.mediaSlots,
    hint: "Pictures, video, sound and everything else.",
  },
] as const;

/**
 * Sorts a form's values into addresses, options and secrets.
 * @throws Problem invalid_input with the field
 */
export function sortValues(
  kind: ConnectionKind,
  values: ConnectionValues,
  known: Partial<SortedValues> = {},
): SortedValues {
  const sorted: SortedValues = {
    baseUrls: { ...known.baseUrls },
    options: { ...known.options },
    secrets: {},
    places: { text: null, media: null, ...known.places },
  };
  const fields = fieldsOf(kind);
  const header = String(values.header ?? known.options?.header ?? "").trim();
  const hasOwnHeader = header !== "" && header.toLowerCase() !== "authorization";
  const unknown = Object.keys(values).find((name) => !fields.some((field) => field.name === name));
  if (unknown)
    throw new Problem("invalid_input", {
      field: `values.${unknown}`,
      message: sentences.connections.noField({ service: kind.name, field: unknown }),
    });
  for (const field of fields) {
    const value =
      typeof values[field.name] === "string"
        ? (values[field.name] as string).trim()
        : values[field.name];
    const invalid = (message: string): Problem =>
      new Problem("invalid_input", {
        field: `values.${field.name}`,
        message: `${field.label}: ${message}`,
      });
    if (value === undefined) continue;
    if (field.choices && value !== "" && !field.choices.includes(String(value)))
      throw invalid("choose one of the list.");
    const odd = field.kind === "url" && value !== "" ? whyNoAddress(String(value)) : undefined;
    if (odd) throw invalid(odd);
    const place = placeFields.find(({ name }) => name === field.name)?.place;
    if (place) sorted.places[place] = value === "" ? null : readSlots(value, invalid);
    else if (field.kind === "secret")
      sorted.secrets[field.name] = cleanKey(String(value), hasOwnHeader);
    else if (field.address && value === "") delete sorted.baseUrls[field.address];
    else if (field.address) sorted.baseUrls[field.address] = cleanAddress(String(value));
    else if (value === "") delete sorted.options[field.name];
    else sorted.options[field.name] = value;
  }
  const asked = new Set(askedFor(kind, sorted).map(({ name }) => name));
  for (const { name, address } of kind.fields.filter((field) => !asked.has(field.name))) {
    if (address) delete sorted.baseUrls[address];
    else delete sorted.options[name];
    delete sorted.secrets[name];
  }
  return sorted;
}

const askedFor = (
  kind: ConnectionKind,
  { options }: Pick<SortedValues, "options">,
): ConnectionField[] => fieldsAskedFor(kind.fields, (name) => options[name]);

function readSlots(value: unknown, invalid: (message: string) => Problem): number {
  const most = limits.maxSlots;
  if (!Number.isInteger(value) || Number(value) < 1 || Number(value) > most)
    throw invalid(`a whole number from 1 to ${most}.`);
  return Number(value);
}

/**
 * The text to seal: the secret itself if the kind has one, or JSON if it has several. New secrets
 * replace stored ones, and secrets of fields no longer shown are dropped. Undefined leaves the
 * stored text; null clears it.
 */
export function secretOf(
  kind: ConnectionKind,
  sorted: Pick<SortedValues, "options" | "secrets">,
  stored: string | null,
): string | null | undefined {
  const hasSeveral = kind.fields.filter(({ kind }) => kind === "secret").length > 1;
  if (!hasSeveral) return Object.values(sorted.secrets)[0] || undefined;
  const all = { ...(stored && (JSON.parse(stored) as Record<string, string>)), ...sorted.secrets };
  const names = askedFor(kind, sorted).flatMap(({ kind, name }) =>
    kind === "secret" && all[name] ? [name] : [],
  );
  const secret =
    names.length === 0
      ? null
      : JSON.stringify(Object.fromEntries(names.map((name) => [name, all[name]!])));
  return secret === stored ? undefined : secret;
}

/** @throws Problem invalid_input for the first required field that is empty */
export function requireFields(kind: ConnectionKind, sorted: SortedValues): void {
  for (const field of askedFor(kind, sorted).filter((candidate) => candidate.required)) {
    const { baseUrls, options, secrets } = sorted;
    const value =
      field.kind === "secret"
        ? secrets[field.name]
        : field.address
          ? baseUrls[field.address]
          : options[field.name];
    if (value === undefined || value === "")
      throw new Problem("invalid_input", {
        field: `values.${field.name}`,
        message: sentences.connections.fieldMissing({ field: field.label }),
      });
  }
}

/** A longer value is a wrong paste, and every error message would repeat it. */
const addressLongest = 2_000;

function whyNoAddress(value: string): string | undefined {
  if (value.length > addressLongest) return "this is too long for an address.";
  const url = URL.parse(value);
  if (!url || !["http:", "https:", "ws:", "wss:"].includes(url.protocol))
    return "this is not an address. It begins with http:// or https://.";
  if (url.username !== "" || url.password !== "")
    return "leave the user name and password out of the address.";
  return undefined;
}

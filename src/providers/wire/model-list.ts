import { sentences } from "#contract/sentences/index.ts";
import {
  type CallContext,
  type ModelCapabilities,
  type ModelFacts,
  ProviderError,
} from "../adapter.ts";
import { isRecord } from "./error-fields.ts";
import { textOf } from "./values.ts";

export type Row = Record<string, unknown>;

/** Stops reading a list that repeats its pages. */
const maxPages = 20;

/**
 * Returns the rows of a list.
 * @throws ProviderError provider_protocol when it isn't a list
 */
export function rowsOf(list: unknown, message = sentences.connections.noModelList): Row[] {
  if (Array.isArray(list)) return list.filter(isRecord);
  throw new ProviderError("provider_protocol", "no", { message });
}

/**
 * Reads the rows of a paged list, without duplicates.
 * @param idOf the row's id; a row without one is left out
 * @param readPage reads the page after `token`, which is empty for the first
 */
export async function* readPages(
  idOf: (row: Row) => unknown,
  readPage: (token: string) => Promise<{ rows: Row[]; next: unknown }>,
): AsyncGenerator<Row[]> {
  const seen = new Set<string>();
  for (let page = 0, token = ""; page < maxPages; page++) {
    const { rows, next } = await readPage(token);
    const fresh = rows.filter((row) => {
      const id = textOf(idOf(row));
      return id !== undefined && !seen.has(id) && seen.add(id);
    });
    yield fresh;
    const following = textOf(next);
    if (!following || fresh.length === 0) return;
    token = following;
  }
}

/** Checks a connection's address and key by reading its list of models. */
export const checkByList =
  (listModels: (context: CallContext) => AsyncIterable<ModelFacts[]>) =>
  async (context: CallContext): Promise<{ message: string }> => {
    let count = 0;
    for await (const page of listModels(context)) count += page.length;
    return connectedWith(count);
  };

export const connectedWith = (count: number): { message: string } => ({
  message: count === 1 ? sentences.connections.oneModel : sentences.connections.models({ count }),
});

/** A model's release date from a field of its list; empty when the field isn't a date. */
export const releasedAt = {
  /** ISO 8601. */
  iso: (value: unknown) => ofMs(typeof value === "string" ? Date.parse(value) : Number.NaN),
  /** Unix time in seconds. */
  seconds: (value: unknown) =>
    ofMs(typeof value === "number" ? Math.round(value * 1000) : Number.NaN),
};

/** No model is older. Lists write 0 for an unknown date. */
const earliest = Date.UTC(2000, 0);
const ofMs = (ms: number): { releasedAt?: number } =>
  Number.isSafeInteger(ms) && ms >= earliest ? { releasedAt: ms } : {};

const maxUrlCharacters = 2_000;

/** A model's sample picture from the address in its list; empty when the field isn't one. */
export const sampleOf = (url: unknown): Pick<ModelCapabilities, "sample"> =>
  typeof url === "string" && url.length <= maxUrlCharacters && /^https?:\/\//.test(url)
    ? { sample: { url } }
    : {};

import { EventSourceParserStream } from "eventsource-parser/stream";
import { fetch as undiciFetch } from "undici";
import type { Asset, Run } from "#contract/entities.ts";
import { CommandError } from "./backup-format.ts";

const fetch = undiciFetch as unknown as typeof globalThis.fetch;

/** What the command asked can't be asked at all: no key, no server, words that are wrong. */
export class CannotAsk extends Error {}

export type ApiEvent = { type: string; payload: Record<string, unknown> };
export type FoundModel = { id: string; tasks: string[]; connection_id: string; model_id: string };

/** A Bottega over its own API, as any other program would use it. */
export function createApiClient(url: string, key: string) {
  const base = url.replace(/\/+$/, "");
  const authorization = `Bearer ${key}`;

  async function ask(
    method: string,
    path: string,
    given: { json?: unknown; bytes?: Uint8Array } = {},
  ) {
    const body = given.json === undefined ? given.bytes : JSON.stringify(given.json);
    const headers = {
      authorization,
      ...(given.json !== undefined && { "content-type": "application/json" }),
    };
    const response = await fetch(`${base}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: body as BodyInit }),
    }).catch((cause: unknown) => {
      throw new CannotAsk(
        `${base} could not be reached. Set BOTTEGA_URL to the address of your Bottega.`,
        { cause },
      );
    });
    if (response.ok) return response;
    throw refusalOf(response.status, await response.text());
  }
  const read = async <T>(path: string): Promise<T> => (await (await ask("GET", path)).json()) as T;

  async function* events(response: Response): AsyncGenerator<ApiEvent> {
    const stream = response.body
      ?.pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream());
    for await (const { event = "message", data } of stream ?? [])
      if (data !== "[DONE]")
        yield { type: event, payload: JSON.parse(data) as Record<string, unknown> };
  }

  return {
    me: () => read<{ projects: { id: string; name: string }[] }>("/api/v1/me"),
    model: (name: string) => read<FoundModel>(`/v1/models/${encodeURIComponent(name)}`),
    async upload(projectId: string, name: string, bytes: Uint8Array): Promise<Asset> {
      const query = new URLSearchParams({ projectId, name });
      return (
        (await (await ask("POST", `/api/v1/uploads?${query}`, { bytes })).json()) as {
          asset: Asset;
        }
      ).asset;
    },
    async createRuns(body: object): Promise<Run[]> {
      return ((await (await ask("POST", "/api/v1/runs", { json: body })).json()) as { runs: Run[] })
        .runs;
    },
    run: (id: string) => read<{ run: Run; assets: Asset[] }>(`/api/v1/runs/${id}`),
    /** From its beginning, or after an event that was seen. */
    async *follow(id: string, after: number): AsyncGenerator<ApiEvent> {
      const response = await ask("GET", `/api/v1/runs/${id}/events?after=${after}`);
      if (response.status !== 204) yield* events(response);
    },
    async *chat(body: object): AsyncGenerator<ApiEvent> {
      yield* events(await ask("POST", "/v1/chat/completions", { json: body }));
    },
    file: (assetId: string) => ask("GET", `/api/v1/assets/${assetId}/file`),
  };
}
export type ApiClient = ReturnType<typeof createApiClient>;

/** What the server said, in its own sentence. A refusal of the key or of the words is no run that failed. */
function refusalOf(status: number, text: string): Error {
  const body = readJson(text);
  const error = (body.error as Record<string, unknown> | undefined) ?? body;
  const said = error.message ?? error.detail ?? `The server answered ${status}.`;
  const sentence = [said, error.advice].filter(Boolean).join(" ");
  return [400, 401, 403, 404, 422].includes(status)
    ? new CannotAsk(sentence)
    : new CommandError(sentence);
}

function readJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    // A proxy's page, or nothing.
    return {};
  }
}

import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Asset, ModelDetail, Run } from "#contract/entities.ts";
import type { RunPrice } from "#domain/money/prices.ts";
import { CannotAsk, RunFailed, Unreachable } from "./problems.ts";

export type ApiEvent = { type: string; payload: Record<string, unknown> };
export type FoundModel = { id: string; tasks: string[]; connection_id: string; model_id: string };
export type ModelDetails = Pick<
  ModelDetail,
  "prices" | "ceilingMicros" | "capabilities" | "inputSchema"
>;

/** A Bottega's API, used like any other program would. */
export function createApiClient(url: string, key: string, fetch: typeof globalThis.fetch) {
  const base = url.replace(/\/+$/, "");

  async function ask(
    method: string,
    path: string,
    given: { json?: unknown; bytes?: Uint8Array; headers?: Record<string, string> } = {},
  ) {
    const body = given.json === undefined ? given.bytes : JSON.stringify(given.json);
    const headers = {
      authorization: `Bearer ${key}`,
      ...(given.json !== undefined && { "content-type": "application/json" }),
      ...given.headers,
    };
    const response = await fetch(`${base}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: body as BodyInit }),
    }).catch((cause: unknown) => {
      throw new Unreachable(
        `${base} could not be reached. Set BOTTEGA_URL to the address of your Bottega.`,
        { cause },
      );
    });
    if (response.ok) return response;
    throw refusalOf(response.status, await textOf(response));
  }

  async function read<T>(path: string): Promise<T> {
    return JSON.parse(await textOf(await ask("GET", path))) as T;
  }
  async function post<T>(path: string, json: unknown): Promise<T> {
    return JSON.parse(await textOf(await ask("POST", path, { json }))) as T;
  }
  async function textOf(response: Response): Promise<string> {
    return response.text().catch((cause: unknown) => {
      throw broken(cause);
    });
  }
  const broken = (cause?: unknown) =>
    new Unreachable(`The connection to ${base} broke.`, { cause });

  async function* events(response: Response): AsyncGenerator<ApiEvent | "done"> {
    const stream = response.body
      ?.pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream());
    try {
      for await (const { event = "message", data } of stream ?? [])
        yield data === "[DONE]"
          ? "done"
          : { type: event, payload: JSON.parse(data) as Record<string, unknown> };
    } catch (cause) {
      throw cause instanceof RunFailed ? cause : broken(cause);
    }
  }

  return {
    me: () => read<{ user: { id: string }; projects: { id: string }[] }>("/api/v1/me"),
    model: (name: string) => read<FoundModel>(`/v1/models/${encodeURIComponent(name)}`),
    async modelDetails(
      { connection_id, model_id }: FoundModel,
      projectId: string,
    ): Promise<ModelDetails> {
      const query = new URLSearchParams({ projectId, model: model_id });
      return (await read<{ model: ModelDetails }>(`/api/v1/models/${connection_id}?${query}`))
        .model;
    },
    estimateAnswer: (projectId: string, body: object) =>
      post<RunPrice>(`/api/v1/projects/${projectId}/answer-estimate`, body),
    async upload(projectId: string, name: string, bytes: Uint8Array): Promise<Asset> {
      const query = new URLSearchParams({ projectId, name });
      const response = await ask("POST", `/api/v1/uploads?${query}`, { bytes });
      return (JSON.parse(await textOf(response)) as { asset: Asset }).asset;
    },
    moveToTrash: (projectId: string, ids: readonly string[]) =>
      post("/api/v1/assets/update", { projectId, ids, action: "trash" }),
    createRuns: async (body: object): Promise<Run[]> =>
      (await post<{ runs: Run[] }>("/api/v1/runs", body)).runs,
    run: (id: string) => read<{ run: Run; assets: Asset[] }>(`/api/v1/runs/${id}`),
    /** From the start, or after a known event. */
    async *follow(id: string, after: number): AsyncGenerator<ApiEvent> {
      const response = await ask("GET", `/api/v1/runs/${id}/events?after=${after}`);
      if (response.status === 204) return;
      for await (const event of events(response)) if (event !== "done") yield event;
    },
    /** @throws Unreachable for a stream that ends without its end mark */
    async *chat(body: object, idempotencyKey: string): AsyncGenerator<ApiEvent> {
      const headers = { "idempotency-key": idempotencyKey };
      let isWhole = false;
      for await (const event of events(
        await ask("POST", "/v1/chat/completions", { json: body, headers }),
      ))
        if (event === "done") isWhole = true;
        else yield event;
      if (!isWhole) throw broken();
    },
    file: (assetId: string) => ask("GET", `/api/v1/assets/${assetId}/file`),
  };
}
export type ApiClient = ReturnType<typeof createApiClient>;

/** A proxy's statuses for an unreachable server, which say nothing about the server's work. */
const ofProxy = [502, 503, 504];

/** The server's own message. A refused key or invalid input isn't a failed run. */
function refusalOf(status: number, text: string): Error {
  const body = readJson(text);
  if (!body && ofProxy.includes(status))
    return new Unreachable(`A proxy returned ${status} instead of the server.`);
  const error = (body?.error as Record<string, unknown> | undefined) ?? body;
  const message = error?.message ?? error?.detail ?? `The server returned ${status}.`;
  const sentence = [message, error?.advice].filter(Boolean).join(" ");
  return [400, 401, 403, 404, 422].includes(status)
    ? new CannotAsk(sentence)
    : new RunFailed(sentence);
}

function readJson(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

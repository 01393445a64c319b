import type { ServerResponse } from "node:http";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { replyHtml, replyJson } from "./http-reply.ts";
import type { Behaviour, Post } from "./kit/behaviour.ts";
import { streamAnswer } from "./kit/chat-stream.ts";
import { readJsonBody, replyPaid } from "./kit/paid.ts";
import {
  type Call,
  type ProviderWire,
  type Refusal,
  reset,
  type Simulator,
  startSimulator,
} from "./kit/server.ts";
import { chatWire, promptOf, refuseChat, refuseLong } from "./ollama/chat.ts";
import { ollamaFaults, type Script, toBehaviour } from "./ollama/faults.ts";
import { isRecord, refuseBody } from "./ollama/fields.ts";
import { installed, type OllamaModel, registry, toShow, toTag, withTag } from "./ollama/models.ts";
import { replyPull } from "./ollama/pull.ts";

type OllamaPost = { path: string; model: string; prompt: string; body: Record<string, unknown> };

export type OllamaSimulator = Pick<
  Simulator,
  "posts" | "connections" | "open" | "reached" | "stop"
> & {
  url: string;
  addresses: { api: string };
  ledger: {
    /** Every POST of a chat or an embedding. */
    posts: OllamaPost[];
    /** "GET /api/tags" */
    requests: string[];
    postsOf(prompt: string): number;
  };
  /** The behavior of the next POST. */
  meet(next: Behaviour): void;
  /** The behavior of answers to prompts with this text; the latest matching script is used. */
  script(prompt: string, script: Script): void;
  /** Releases the answers held by "hold". */
  release(prompt: string): void;
  models(): string[];
};

/** `isOld`: rejects `truncate` and `shift`, like versions before 0.12.6. */
export type OllamaOptions = {
  port?: number;
  key?: string;
  version?: string;
  isOld?: boolean;
  tokenMs?: number;
};

/**
 * Ollama's own API on one port (https://docs.ollama.com/api), compared with its source
 * (docs/providers/ollama.md, "Sources"). Strict: an unknown field, a wrong type, and tasks that a
 * model can't do are refused. Faults can also be named in a prompt, such as `[sim:error-line]`.
 * /site is a web page.
 */
export async function startOllama(options: OllamaOptions = {}): Promise<OllamaSimulator> {
  const { key, version = "0.40.12", isOld = false } = options;
  const models = new Map<string, OllamaModel>(installed.map((model) => [model.name, model]));
  const loaded = new Map<string, number>();
  const scripts: { prompt: string; script: Script }[] = [];
  const holds: { prompt: string; gate: string }[] = [];
  const requests: string[] = [];

  function scriptOf(prompt: string): Script {
    const named = ollamaFaults.find((fault) => prompt.includes(`[sim:${fault}]`));
    const found = scripts.findLast((entry) => prompt.includes(entry.prompt))?.script;
    return {
      ...(options.tokenMs && { tokenMs: options.tokenMs }),
      ...found,
      ...(named && { fault: named }),
    };
  }
  const endpointOf = ({ method, url }: Call) =>
    /^(?:POST \/api\/(chat|embed|show|pull|generate)|DELETE \/api\/(delete))$/
      .exec(`${method} ${url.pathname}`)
      ?.slice(1)
      .find(Boolean);
  const modelOf = (body: Record<string, unknown>) =>
    models.get(withTag(String(body.model ?? body.name)));
  const notFound = (body: Record<string, unknown>): Refusal => ({
    status: 404,
    body: { error: `model '${String(body.model)}' not found` },
  });

  const wire: ProviderWire = {
    errorBody: (_status, message) => ({ error: message }),
    async answerFree(call) {
      const { method, url, response, headers } = call;
      requests.push(`${method} ${url.pathname}`);
      if (url.pathname.startsWith("/site")) return done(replyHtml(response));
      const endpoint = endpointOf(call);
      // Paid endpoints check the key themselves.
      if (endpoint === "chat" || endpoint === "embed") return false;
      if (key && headers.authorization !== `Bearer ${key}`)
        return done(replyJson(response, 401, { error: "unauthorized" }));
      const asked = `${method} ${url.pathname}`;
      if (asked === "GET /") return done(response.end("Ollama is running"));
      if (asked === "GET /api/version") return done(replyJson(response, 200, { version }));
      if (asked === "GET /api/tags")
        return done(replyJson(response, 200, { models: [...models.values()].map(toTag) }));
      if (asked === "GET /api/ps") return done(replyLoaded(response));
      if (!endpoint) return done(response.writeHead(404).end("404 page not found"));
      const body = parse(call.body);
      const refusal = refuseBody(endpoint, body);
      if (refusal) return done(replyJson(response, 400, { error: refusal }));
      if (endpoint === "pull") {
        const name = withTag(String(body.model ?? body.name));
        const pulled = registry.find((model) => model.name === name);
        if (await replyPull(response, name, pulled)) models.set(name, pulled!);
        return true;
      }
      const model = modelOf(body);
      if (!model) return done(replyJson(response, 404, notFound(body).body));
      if (endpoint === "show") return done(replyJson(response, 200, toShow(model)));
      if (endpoint === "generate") return done(loadOrUnload(response, model, body));
      models.delete(model.name);
      return done(response.writeHead(200).end());
    },
    refuse(call, post) {
      if (key && call.headers.authorization !== `Bearer ${key}`)
        return { status: 401, body: { error: "unauthorized" } };
      const body = readJsonBody(call, post);
      const endpoint = endpointOf(call)!;
      const problem = refuseBody(endpoint, body);
      if (problem !== null || !isRecord(body))
        return { status: 400, body: { error: problem ?? "invalid request body" } };
      const model = modelOf(body);
      if (!model) return notFound(body);
      const refused =
        (endpoint === "chat" ? refuseChat(body, model) : refuseEmbedding(model)) ??
        (isOld ? null : refuseLong(body));
      return refused === null ? null : { status: 400, body: { error: refused } };
    },
    async answer(given) {
      const { call, post, gates } = given;
      const body = post.body as Record<string, unknown>;
      const model = modelOf(body)!;
      loaded.set(model.name, Date.now());
      if (call.url.pathname === "/api/embed") return replyEmbedding(given, model, body);
      const prompt = promptOf(body);
      const script = scriptOf(prompt);
      if (script.fault === "reset") return reset(call.response, post);
      const behaviour = { ...given.behaviour, ...toBehaviour(script, `hold-${holds.length}`) };
      if (behaviour.gate) holds.push({ prompt, gate: behaviour.gate.name });
      const { wire: lines, words } = chatWire(body, model, behaviour, script.fault === "long-line");
      await streamAnswer(lines, words, { behaviour, post, response: call.response, gates });
    },
  };

  /**
   * Without a prompt it loads the model, or with zero keep-alive unloads it, before checking the
   * model's capabilities (routes.go, GenerateHandler).
   */
  function loadOrUnload(
    response: ServerResponse,
    model: OllamaModel,
    body: Record<string, unknown>,
  ) {
    const isUnload = body.keep_alive === 0;
    if (isUnload) loaded.delete(model.name);
    else if (model.capabilities && !model.capabilities.includes("completion"))
      return replyJson(response, 400, { error: `"${model.name}" does not support generate` });
    else loaded.set(model.name, Date.now());
    const why = isUnload ? "unload" : "load";
    return replyJson(response, 200, {
      model: model.name,
      response: "",
      done: true,
      done_reason: why,
    });
  }

  function replyLoaded(response: ServerResponse) {
    const entries = [...loaded].flatMap(([name, at]) => {
      const model = models.get(name);
      return model
        ? [
            {
              ...toTag(model),
              size_vram: model.size,
              context_length: 4_096,
              expires_at: new Date(at + 300_000).toISOString(),
            },
          ]
        : [];
    });
    replyJson(response, 200, { models: entries });
  }

  const { origin: url, script, ...simulator } = await startSimulator(wire, options);
  const toPost = ({ path, body }: Post): OllamaPost => {
    const sent = isRecord(body) ? body : {};
    const isChat = path === "/api/chat";
    return {
      path: path.replace("/api/", ""),
      model: withTag(String(sent.model)),
      prompt: isChat ? promptOf(sent) : String(sent.input),
      body: sent,
    };
  };
  return {
    ...simulator,
    url,
    addresses: { api: url },
    ledger: {
      get posts() {
        return simulator.posts.map(toPost);
      },
      requests,
      postsOf: (prompt) => simulator.posts.filter((post) => toPost(post).prompt === prompt).length,
    },
    meet: script,
    script: (prompt, next) => void scripts.push({ prompt, script: next }),
    release(prompt) {
      for (const hold of holds) if (hold.prompt.includes(prompt)) simulator.open(hold.gate);
    },
    models: () => [...models.keys()],
  };
}

const refuseEmbedding = ({ name, capabilities }: OllamaModel): string | null =>
  capabilities?.includes("embedding") ? null : `"${name}" does not support embeddings`;

function replyEmbedding(
  given: Parameters<ProviderWire["answer"]>[0],
  model: OllamaModel,
  body: Record<string, unknown>,
) {
  const size = typeof body.dimensions === "number" ? body.dimensions : 8;
  const words = (Array.isArray(body.input) ? body.input : [body.input]).map(String);
  const embeddings = words.map((text) =>
    Array.from({ length: size }, (_, index) => Math.sin(text.length + index)),
  );
  const counted = {
    total_duration: 1,
    load_duration: 1,
    prompt_eval_count: words.join(" ").split(/\s+/).length,
  };
  return replyPaid(given, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: model.name, embeddings, ...counted }),
  });
}

const done = (_said: unknown): true => true;

function parse(raw: Buffer): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(raw.toString() || "{}");
    return isRecord(body) ? body : {};
  } catch {
    return {};
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "11434" },
      token: { type: "string", default: "40" },
    },
  });
  const ollama = await startOllama({ port: Number(values.port), tokenMs: Number(values.token) });
  console.log(`Ollama simulator at ${ollama.url}`);
}

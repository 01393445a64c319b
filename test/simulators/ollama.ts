import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { readBody, replyHtml, replyJson, write } from "./http-reply.ts";
import { createGate, type Gate, type OllamaFault, ollamaFaults, promptOf, refuseChat, replyChat, type Script } from "./ollama/chat.ts";
import { isRecord, refuseBody } from "./ollama/fields.ts";
import { installed, type OllamaModel, registry, toShow, toTag, withTag } from "./ollama/models.ts";

export type { OllamaFault, Script } from "./ollama/chat.ts";

export type OllamaSimulator = {
  url: string;
  addresses: { api: string };
  ledger: {
    /** Every POST of a chat or an embedding. `sent` counts the words that were sent. */
    posts: { path: string; model: string; prompt: string; body: Record<string, unknown>; sent: number }[];
    /** "GET /api/tags" */
    requests: string[];
    postsOf(prompt: string): number;
  };
  /** How the next answers to a prompt with these words go; the latest script that fits is used. */
  script(prompt: string, script: Script): void;
  /** Lets the answers go on that "hold" keeps. */
  release(prompt: string): void;
  models(): string[];
  stop(): Promise<void>;
};

export type OllamaOptions = { port?: number; host?: string; key?: string; version?: string; tokenMs?: number };

/**
 * Ollama's own API on one port. Strict: an unknown field, a wrong type, and what a model can't do are refused. Faults can
 * also be named in a prompt, as `[sim:error-line]`. Under /site it is a web page; GET /sim/ledger, POST /sim/script and
 * POST /sim/release serve other processes.
 */
export async function startOllama(options: OllamaOptions = {}): Promise<OllamaSimulator> {
  const { host = "127.0.0.1", key, version = "0.40.12" } = options;
  const models = new Map<string, OllamaModel>(installed.map((model) => [model.name, model]));
  const loaded = new Map<string, number>();
  const scripts: { prompt: string; script: Script }[] = [];
  const gates: { prompt: string; gate: Gate }[] = [];
  const posts: OllamaSimulator["ledger"]["posts"] = [];
  const requests: string[] = [];

  function scriptOf(prompt: string): Script {
    const named = ollamaFaults.find((fault) => prompt.includes(`[sim:${fault}]`));
    const found = scripts.findLast((entry) => prompt.includes(entry.prompt))?.script;
    return { ...(options.tokenMs && { tokenMs: options.tokenMs }), ...found, ...(named && { fault: named }) };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const call = `${request.method} ${pathname}`;
    requests.push(call);
    const raw = await readBody(request);
    if (pathname.startsWith("/site")) return replyHtml(response);
    if (key && request.headers.authorization !== `Bearer ${key}`) return replyJson(response, 401, { error: "unauthorized" });
    if (call === "GET /") return void response.end("Ollama is running");
    if (call === "GET /api/version") return replyJson(response, 200, { version });
    if (call === "GET /api/tags") return replyJson(response, 200, { models: [...models.values()].map(toTag) });
    if (call === "GET /api/ps") return replyLoaded(response);
    const body = parse(raw);
    if (pathname.startsWith("/sim/")) return control(response, pathname, body);
    const endpoint = /^(?:POST \/api\/(chat|embed|show|pull)|DELETE \/api\/(delete))$/.exec(call)?.slice(1).find(Boolean);
    if (!endpoint) return void response.writeHead(404).end("404 page not found");
    const refusal = refuseBody(endpoint, body);
    if (refusal) return replyJson(response, 400, { error: refusal });
    const name = withTag(String(body.model ?? body.name));
    if (endpoint === "pull") return replyPull(response, name);
    const model = models.get(name);
    if (endpoint === "chat" || endpoint === "embed") {
      const prompt = endpoint === "chat" ? promptOf(body) : String(body.input);
      posts.push({ path: endpoint, model: name, prompt, body, sent: 0 });
    }
    if (!model) return replyJson(response, 404, { error: `model "${String(body.model)}" not found, try pulling it first` });
    if (endpoint === "show") return replyJson(response, 200, toShow(model));
    if (endpoint === "delete") {
      models.delete(name);
      return void response.writeHead(200).end();
    }
    loaded.set(name, Date.now());
    if (endpoint === "embed") return replyEmbedding(response, model, body);
    const post = posts.at(-1)!;
    const chat = { body, model, prompt: post.prompt, script: scriptOf(post.prompt), gate: createGate() };
    gates.push({ prompt: post.prompt, gate: chat.gate });
    const refused = refuseChat(chat);
    if (refused) return replyJson(response, 400, { error: refused });
    post.sent = await replyChat(response, chat);
  }

  function replyLoaded(response: ServerResponse) {
    const entries = [...loaded].flatMap(([name, at]) => {
      const model = models.get(name);
      return model ? [{ ...toTag(model), size_vram: model.size, expires_at: new Date(at + 300_000).toISOString() }] : [];
    });
    replyJson(response, 200, { models: entries });
  }

  function replyEmbedding(response: ServerResponse, model: OllamaModel, body: Record<string, unknown>) {
    if (!model.capabilities?.includes("embedding"))
      return replyJson(response, 400, { error: `"${model.name}" does not support embeddings` });
    const size = typeof body.dimensions === "number" ? body.dimensions : 8;
    const words = (Array.isArray(body.input) ? body.input : [body.input]).map(String);
    const embeddings = words.map((text) => Array.from({ length: size }, (_, index) => Math.sin(text.length + index)));
    replyJson(response, 200, {
      model: model.name,
      embeddings,
      total_duration: 1,
      load_duration: 1,
      prompt_eval_count: words.join(" ").split(/\s+/).length,
    });
  }

  /** Two layers in quarters, then the model is there. The name decides a fault: "…-breaks" errs, "…-drops" drops the line. */
  async function replyPull(response: ServerResponse, name: string): Promise<void> {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    const say = (line: Record<string, unknown>) => write(response, `${JSON.stringify(line)}\n`);
    await say({ status: "pulling manifest" });
    const model = registry.find((known) => known.name === name);
    for (const layer of ["aaaaaaaaaaaa", "bbbbbbbbbbbb"]) {
      if (!model && !/-(breaks|drops)/.test(name)) return void response.end('{"error":"pull model manifest: file does not exist"}\n');
      for (let quarter = 0; quarter <= 4; quarter++) {
        await say({
          status: `pulling ${layer}`,
          digest: `sha256:${layer}`,
          total: 1_000,
          ...(quarter > 0 && { completed: quarter * 250 }),
        });
        if (quarter === 2 && name.includes("-breaks")) return void response.end('{"error":"max retries exceeded: unexpected EOF"}\n');
        if (quarter === 2 && name.includes("-drops")) return void response.end();
      }
    }
    if (model) models.set(name, model);
    for (const status of ["verifying sha256 digest", "writing manifest", "success"]) await say({ status });
    response.end();
  }

  function release(prompt: string) {
    for (const entry of gates) if (entry.prompt.includes(prompt)) entry.gate.open();
  }

  function control(response: ServerResponse, path: string, body: Record<string, unknown>) {
    if (path === "/sim/script")
      scripts.push({ prompt: String(body.prompt), script: (body.script ?? { fault: body.fault as OllamaFault }) as Script });
    if (path === "/sim/release") release(String(body.prompt));
    replyJson(response, 200, { posts });
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (!response.headersSent) replyJson(response, 500, { error: String(error) });
      else response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, host, resolve));
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  return {
    url,
    addresses: { api: url },
    ledger: { posts, requests, postsOf: (prompt) => posts.filter((post) => post.prompt === prompt).length },
    script: (prompt, script) => void scripts.push({ prompt, script }),
    release,
    models: () => [...models.keys()],
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

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
    options: { port: { type: "string", default: "11434" }, host: { type: "string" }, token: { type: "string", default: "40" } },
  });
  const ollama = await startOllama({ port: Number(values.port), host: values.host ?? "127.0.0.1", tokenMs: Number(values.token) });
  console.log(`Ollama simulator at ${ollama.url}`);
}

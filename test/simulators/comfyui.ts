import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { type WebSocket, WebSocketServer } from "ws";
import { type ComfyFault, comfyFaults } from "./comfyui/faults.ts";
import { nodeTypes, toObjectInfo } from "./comfyui/nodes.ts";
import { type Graph, validate } from "./comfyui/validate.ts";
import { createWorker, type Item, promptOf } from "./comfyui/worker.ts";
import { readBody, replyBytes, replyHtml, replyJson } from "./http-reply.ts";
import { createInterruptions, type Interruption } from "./kit/interrupt.ts";
import type { Refusal } from "./kit/server.ts";

export type ComfySimulator = {
  url: string;
  addresses: { api: string };
  ledger: {
    /** Every POST /prompt, whatever its outcome. */
    posts: { prompt: string; body: Record<string, unknown> }[];
    /** The completed runs. */
    made: readonly { id: string; prompt: string }[];
    /** "POST /interrupt" */
    requests: string[];
    postsOf(prompt: string): number;
    madeOf(prompt: string): number;
  };
  /** The uploads, by the names under which nodes refer to them. */
  inputs: ReadonlyMap<string, Uint8Array>;
  script(prompt: string, fault: ComfyFault): void;
  connections(): number;
  /** The answer to the next POST /prompt. */
  refuse(refusal: Refusal): void;
  /** Interrupts the next request about an accepted job. */
  interrupt(next: Interruption): void;
  /** Makes the next job fail in its sampler with this exception. */
  fail(exception: { name: string; message: string }): void;
  /** Ends all faults of prompts with this text. */
  mend(prompt: string): void;
  release(prompt: string): void;
  /** Installs or removes a node type. */
  install(name: string, isThere: boolean): void;
  /** Removes all files that an input of a type can name. */
  empty(name: string, input: string): void;
  sockets(): number;
  dropSockets(): void;
  /** Restarts the process: queue, history and sockets are gone, files stay. */
  restart(): void;
  /** Doesn't answer until it is reset; looks down to every client. */
  setDown(isDown: boolean): void;
  stop(): Promise<void>;
};

export type ComfyOptions = {
  port?: number;
  host?: string;
  key?: string;
  stepMs?: number;
  /**
   * A server of early 2025: it assigns its own job ids, accepts none at /interrupt, and lacks
   * /api/jobs.
   */
  isOld?: boolean;
  /** Newer servers report the steps of all nodes at once, and may report those of one as well. */
  stepsAs?: "both" | "progress_state";
  /** `--max-upload-size`, in bytes. */
  uploadBytes?: number;
};

const promptKeys = new Set(["prompt", "prompt_id", "client_id", "extra_data", "number", "front"]);
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * ComfyUI on one port: HTTP and /ws, one worker, its validation and its cache, compared with its
 * source (docs/providers/comfyui.md, "Sources"). Strict: an unknown field, an id that isn't a UUID,
 * a missing key or a missing file is refused. Faults can be named in a prompt, such as `[sim:oom]`.
 * /site is a web page.
 */
export async function startComfy(options: ComfyOptions = {}): Promise<ComfySimulator> {
  const { key, stepMs = 2, isOld = false, host = "127.0.0.1" } = options;
  const { stepsAs = "both", uploadBytes = 100 * 1024 ** 2 } = options;
  const inputs = new Map<string, Uint8Array>([["example.png", new Uint8Array([1])]]);
  const files = new Map<string, Uint8Array>();
  const missing = new Set<string>();
  const extra = new Set<string>();
  const emptied: [name: string, input: string][] = [];
  const scripts = new Map<string, ComfyFault>();
  const mended: string[] = [];
  const refusals: Refusal[] = [];
  const interruptions = createInterruptions();
  const exceptions: { name: string; message: string }[] = [];
  const posts: ComfySimulator["ledger"]["posts"] = [];
  const requests: string[] = [];
  const clients = new Map<string, { socket: WebSocket; namesJobs: boolean }>();
  let isDown = false;

  const types = () => {
    const all = nodeTypes([...inputs.keys()]);
    for (const name of missing) delete all[name];
    for (const [name, input] of emptied) all[name]!.required[input]![0] = [];
    for (const name of extra)
      all[name] = { required: { image: ["IMAGE"] }, output: ["IMAGE"], title: name };
    return all;
  };
  const faultOf = (prompt: string): ComfyFault | undefined => {
    if (mended.some((words) => prompt.includes(words))) return undefined;
    return (
      comfyFaults.find((fault) => prompt.includes(`[sim:${fault}]`)) ??
      [...scripts].find(([words]) => prompt.includes(words))?.[1]
    );
  };
  const tell = (event: string | Uint8Array, data?: Record<string, unknown>, clientId?: string) => {
    const to = clientId === undefined ? [...clients.values()] : [clients.get(clientId)];
    for (const client of to)
      client?.socket.send(
        typeof event === "string" ? JSON.stringify({ type: event, data }) : event,
      );
  };
  const worker = createWorker({
    stepMs,
    stepsAs,
    faultOf,
    exceptions,
    tell,
    preview: (clientId, promptId, picture) =>
      framePreview(clients.get(clientId ?? "")?.namesJobs ?? false, promptId, picture),
    save: (name, bytes, folder) => void files.set(`${folder}/${name}`, bytes),
    drop: (clientId) => clients.get(clientId ?? "")?.socket.terminate(),
  });
  const toWire = ({ number, id, graph, extra: data, outputs }: Item) => [
    number,
    id,
    graph,
    data,
    outputs,
  ];
  const maySee = (request: IncomingMessage) =>
    !key || request.headers.authorization === `Bearer ${key}` || request.headers["x-key"] === key;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = new URL(request.url ?? "/", "http://localhost");
    const path = decodeURIComponent(address.pathname);
    const call = `${request.method} ${path}`;
    requests.push(call);
    if (isDown) return void request.socket.destroy();
    if (interruptions.meet(response)) return;
    const raw = await readBody(request);
    if (path.startsWith("/site")) return replyHtml(response);
    if (!maySee(request)) return replyJson(response, 401, { error: "unauthorized" });
    const [, object] = /^GET \/object_info\/(.+)$/.exec(call) ?? [];
    const [, ended] = /^GET \/history\/(.+)$/.exec(call) ?? [];
    const [, cancelled] = isOld ? [] : (/^POST \/api\/jobs\/(.+)\/cancel$/.exec(call) ?? []);
    if (object) {
      const type = types()[object];
      return replyJson(response, 200, type ? { [object]: toObjectInfo(object, type) } : {});
    }
    if (ended) {
      const entry = worker.history().get(ended);
      return replyJson(response, 200, entry ? { [ended]: entry } : {});
    }
    if (cancelled)
      return replyJson(response, 200, {
        cancelled: worker.remove(cancelled) || worker.interrupt(cancelled),
      });
    switch (call) {
      case "GET /system_stats":
        return replyJson(response, 200, {
          system: {
            os: "posix",
            comfyui_version: isOld ? "0.3.10" : "0.38.1",
            python_version: "3.12",
            argv: ["main.py"],
          },
          devices: [
            {
              name: "cuda:0 NVIDIA GeForce RTX 4090",
              type: "cuda",
              index: 0,
              vram_total: 25_000_000_000,
              vram_free: 20_000_000_000,
            },
          ],
        });
      case "GET /queue": {
        const { running, waiting } = worker.queue();
        // A heap, so its order in the answer is arbitrary.
        return replyJson(response, 200, {
          queue_running: running.map(toWire),
          queue_pending: waiting.map(toWire).reverse(),
        });
      }
      case "GET /history": {
        const most = Number(address.searchParams.get("max_items") ?? 10_000);
        return replyJson(response, 200, Object.fromEntries([...worker.history()].slice(-most)));
      }
      case "GET /view":
        return view(request, response, address.searchParams);
      case "POST /upload/image":
        // aiohttp's own message, as text.
        if (raw.length > uploadBytes)
          return void response
            .writeHead(413, { "content-type": "text/plain; charset=utf-8" })
            .end(
              `Maximum request body size ${uploadBytes} exceeded, actual body size ${raw.length}`,
            );
        return upload(response, raw, request.headers["content-type"] ?? "");
      case "POST /prompt":
        return post(response, parse(raw));
      case "POST /queue": {
        for (const id of (parse(raw).delete ?? []) as string[]) worker.remove(id);
        return void response.writeHead(200).end();
      }
      case "POST /interrupt": {
        const id = parse(raw).prompt_id;
        worker.interrupt(isOld || typeof id !== "string" ? undefined : id);
        return void response.writeHead(200).end();
      }
      default:
        return void response.writeHead(404, { "content-type": "text/plain" }).end("404: Not Found");
    }
  }

  async function post(response: ServerResponse, body: Record<string, unknown>): Promise<void> {
    const graph = (body.prompt ?? {}) as Graph;
    const words = promptOf(graph);
    posts.push({ prompt: words, body });
    const refuse = (type: string, message: string, nodeErrors = {}) =>
      replyJson(response, 400, {
        error: { type, message, details: message, extra_info: {} },
        node_errors: nodeErrors,
      });
    const unknown = Object.keys(body).find((name) => !promptKeys.has(name));
    if (unknown) return refuse("unknown_field", `Unknown field ${unknown}`);
    if (body.prompt_id !== undefined && !uuid.test(String(body.prompt_id)))
      return refuse("invalid_prompt_id", "prompt_id must be a valid UUID");
    const refused = refusals.shift();
    if (refused) {
      const type = refused.headers?.["content-type"] ?? "application/json";
      return void response
        .writeHead(refused.status, { "content-type": type, ...refused.headers })
        .end(typeof refused.body === "string" ? refused.body : JSON.stringify(refused.body));
    }
    const fault = faultOf(words);
    if (fault === "reset") return void response.socket?.resetAndDestroy();
    if (fault === "500")
      return void response
        .writeHead(500, { "content-type": "text/plain" })
        .end("500 Internal Server Error");
    if (fault === "html") return replyHtml(response);
    const validated = validate(graph, types(), (name) => inputs.has(name));
    if ("error" in validated)
      return replyJson(response, 400, {
        error: validated.error,
        node_errors: validated.nodeErrors,
      });
    const id = isOld || typeof body.prompt_id !== "string" ? randomUUID() : body.prompt_id;
    const data = {
      ...(body.extra_data as object),
      ...(typeof body.client_id === "string" && { client_id: body.client_id }),
    };
    const number = worker.put({ id, graph, extra: data, outputs: validated.outputs });
    if (fault === "lost-reply") return void response.socket?.destroy();
    if (fault === "hold-reply") return;
    if (fault === "cut-reply") {
      response.writeHead(200, { "content-type": "application/json", "content-length": "500" });
      return void response.write('{"prompt_id": "', () => response.destroy());
    }
    if (fault === "broken-json")
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end('{"prompt_id": "');
    replyJson(response, 200, {
      ...(fault !== "no-id" && { prompt_id: id }),
      number,
      node_errors: validated.nodeErrors,
    });
  }

  async function upload(response: ServerResponse, raw: Buffer, contentType: string): Promise<void> {
    const form = await new Response(new Uint8Array(raw), {
      headers: { "content-type": contentType },
    }).formData();
    const image = form.get("image");
    const subfolder = String(form.get("subfolder") ?? "");
    if (!(image instanceof File) || form.get("type") !== "input" || subfolder.includes(".."))
      return void response.writeHead(400).end();
    inputs.set(`${subfolder ? `${subfolder}/` : ""}${image.name}`, await image.bytes());
    replyJson(response, 200, { name: image.name, subfolder, type: "input" });
  }

  async function view(
    request: IncomingMessage,
    response: ServerResponse,
    query: URLSearchParams,
  ): Promise<void> {
    const subfolder = query.get("subfolder");
    const bytes = files.get(
      `${query.get("type") ?? "output"}/${subfolder ? `${subfolder}/` : ""}${query.get("filename")}`,
    );
    if (!bytes) return void response.writeHead(404).end();
    const mime = /\.mp4$/.test(query.get("filename") ?? "")
      ? "video/mp4"
      : /\.wav$/.test(query.get("filename") ?? "")
        ? "audio/wav"
        : "image/png";
    replyBytes(request, response, bytes, { "content-type": mime });
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (!response.headersSent) replyJson(response, 500, { error: String(error) });
      else response.destroy();
    });
  });
  let connections = 0;
  server.on("connection", () => connections++);
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    const address = new URL(request.url ?? "/", "http://localhost");
    requests.push(`SOCKET ${address.pathname}`);
    if (isDown) return void socket.destroy();
    if (address.pathname !== "/ws" || !maySee(request))
      return void socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
    sockets.handleUpgrade(request, socket, head, (opened) => {
      const id = address.searchParams.get("clientId") || randomUUID();
      const client = { socket: opened, namesJobs: false };
      clients.set(id, client);
      opened.on("close", () => clients.get(id) === client && clients.delete(id));
      opened.on("message", (data) => {
        const message = parse(Buffer.from(String(data)));
        if (isOld || message.type !== "feature_flags") return;
        client.namesJobs =
          (message.data as Record<string, unknown>).supports_preview_metadata === true;
        opened.send(
          JSON.stringify({ type: "feature_flags", data: { supports_preview_metadata: true } }),
        );
      });
      const { running, waiting } = worker.queue();
      tell(
        "status",
        { status: { exec_info: { queue_remaining: running.length + waiting.length } }, sid: id },
        id,
      );
    });
  });
  const dropSockets = () => {
    for (const { socket } of clients.values()) socket.terminate();
  };
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, host, resolve));
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  return {
    url,
    addresses: { api: url },
    ledger: {
      posts,
      made: worker.made,
      requests,
      postsOf: (prompt) => posts.filter((entry) => entry.prompt.includes(prompt)).length,
      madeOf: (prompt) => worker.made.filter((entry) => entry.prompt.includes(prompt)).length,
    },
    inputs,
    script: (prompt, fault) => void scripts.set(prompt, fault),
    connections: () => connections,
    refuse: (refusal) => void refusals.push(refusal),
    interrupt: interruptions.interrupt,
    fail: (exception) => void exceptions.push(exception),
    mend: (prompt) => void mended.push(prompt),
    release: (prompt) => worker.release(prompt),
    install(name, isThere) {
      if (!isThere) missing.add(name);
      else if (!missing.delete(name)) extra.add(name);
    },
    empty: (name, input) => void emptied.push([name, input]),
    sockets: () => clients.size,
    dropSockets,
    restart() {
      worker.forget();
      dropSockets();
    },
    setDown(down) {
      isDown = down;
      if (down) dropSockets();
    },
    async stop() {
      worker.forget();
      dropSockets();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Type 1 with the picture's format, or type 4 with its job, for clients that announced support. */
function framePreview(namesJobs: boolean, promptId: string, picture: Uint8Array): Uint8Array {
  const head = (type: number, second: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(type, 0);
    bytes.writeUInt32BE(second, 4);
    return bytes;
  };
  if (!namesJobs) return Buffer.concat([head(1, 2), picture]);
  const facts = Buffer.from(
    JSON.stringify({ node_id: "3", prompt_id: promptId, image_type: "image/png" }),
  );
  return Buffer.concat([head(4, facts.length), facts, picture]);
}

function parse(raw: Buffer): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(raw.toString() || "{}");
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "8188" },
      host: { type: "string" },
      step: { type: "string", default: "300" },
    },
  });
  const comfy = await startComfy({
    port: Number(values.port),
    host: values.host ?? "127.0.0.1",
    stepMs: Number(values.step),
  });
  console.log(`ComfyUI simulator at ${comfy.url}`);
}

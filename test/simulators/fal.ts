import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { type BillingEvent, nanoUsdOf, replyBilling } from "./fal/billing.ts";
import { catalogue } from "./fal/catalogue.ts";
import { createFaults, type FalFault } from "./fal/faults.ts";
import { type Bill, createJobs, type Failure, type Pace } from "./fal/jobs.ts";
import { type MadeFile, makePng } from "./fal/media.ts";
import { replyModels, replyPrices } from "./fal/platform.ts";
import { createQueue, type Post } from "./fal/queue.ts";
import { createRealtime, type FalRealtime } from "./fal/realtime.ts";
import { createStorage, type StoredFile } from "./fal/storage.ts";
import { createWebhooks, type Delivery, type DeliveryWish } from "./fal/webhooks.ts";
import { readBody, replyHtml, replyJson } from "./http-reply.ts";
import { createInterruptions, type Interruption } from "./kit/interrupt.ts";

export type { FalFault } from "./fal/faults.ts";

export type FalSimulator = {
  url: string;
  /** A connection's addresses, by name. */
  addresses: Record<"queue" | "run" | "rest" | "api" | "realtime" | "webhookKeys", string>;
  key: string;
  /** Reads bills, and can't run anything here. */
  adminKey: string;
  /** The key and the addresses as the fields of a connection's form. */
  values: Record<string, string>;
  ledger: {
    /** Every POST to the queue and to direct runs, whatever its outcome. */
    posts: Post[];
    /** The charges: finished jobs only. */
    billed: Bill[];
    /** Every request: "GET /queue/…". */
    requests: string[];
    postsOf(prompt: string): number;
    /** The bill's contents, to which a test may add. */
    billing: BillingEvent[];
  };
  files: ReadonlyMap<string, StoredFile>;
  /** The next `times` requests whose prompt contains this text meet the fault. */
  script(prompt: string, fault: FalFault, times?: number): void;
  connections(): number;
  /** The answer to the next POST of a run. */
  refuse(refusal: Failure): void;
  /** Interrupts the next request about an accepted job. */
  interrupt(next: Interruption): void;
  /** The next result stream sends this after its first event, and ends. */
  failStream(event: object): void;
  /** Makes this job end with a failure. */
  fail(requestId: string, failure: Failure): void;
  /** The frame connections: their inputs, and how each ended. */
  realtime: Pick<FalRealtime, "sessions" | "inputs" | "tokens" | "fail" | "release" | "drop">;
  /** Releases jobs held by "hold" or "hold-queue". */
  release(prompt: string): void;
  /** Answers submits held by "hold-reply". */
  answer(prompt: string): void;
  /** Serves these jobs' files correctly from now on. */
  mend(prompt: string): void;
  /** Sends these jobs' webhooks, again or for the first time. */
  deliver(prompt: string, wish?: DeliveryWish): Promise<Delivery[]>;
  deliveries: readonly Delivery[];
  /** Signs with other keys from now on. */
  changeKeys(): void;
  /** fal's id of this prompt's first job, or of the one with this index. */
  requestIdOf(prompt: string, place?: number): string;
  stop(): Promise<void>;
};

export type FalOptions = {
  port?: number;
  host?: string;
  key?: string;
  adminKey?: string;
  /** The number of events per page of the bill, whatever is requested. */
  billsPerPage?: number;
  /** By default, each poll advances a job. */
  pace?: Pace;
  /** If false, the key has no right to sign files, and that call is refused. */
  maySign?: boolean;
  /** Maps a webhook's address to its real one, in place of DNS and a TLS proxy. */
  reach?: (url: string) => string;
  /** The clock for webhook timestamps and token expiry. */
  now?: () => number;
  /** The address in its answers, if it is reached through a proxy. */
  named?: () => string;
  /** The time that a realtime model takes per frame. */
  modelMs?: number;
  /** The file of a video of this length; by default one that can't be played. */
  film?: (seconds: number) => MadeFile;
  /** Its price list is empty. */
  isUnpriced?: boolean;
};

/**
 * fal on one port, with its hosts as paths: /queue, /run, /rest, /api, /realtime, /cdn for files,
 * and /site, a web page for mistyped addresses. Strict: a missing or wrong key, an unknown field,
 * an unknown parameter, or a file that a model can't open is refused. Faults can also be named in a
 * prompt, such as `[sim:lost-reply]`. GET /sim/ledger, POST /sim/script, /sim/release and
 * /sim/answer serve other processes.
 */
export async function startFal(options: FalOptions = {}): Promise<FalSimulator> {
  const {
    key = "sim-key-id:sim-key-secret",
    adminKey = "sim-admin-id:sim-admin-secret",
    pace = { by: "polls" },
    maySign = true,
    host = "127.0.0.1",
  } = options;
  let url = "";
  const base = () => options.named?.() ?? url;
  const posts: Post[] = [];
  const billed: Bill[] = [];
  const billing: BillingEvent[] = [];
  const now = options.now ?? Date.now;
  const requests: string[] = [];
  const models = new Map(catalogue.map((model) => [model.id, model]));
  const faults = createFaults();
  const storage = createStorage(base, key, faults);
  const webhooks = createWebhooks({ faults, now, reach: options.reach ?? ((address) => address) });
  const jobs = createJobs({
    storage,
    faults,
    pace,
    bill,
    now: Date.now,
    ended: webhooks.ended,
    film: options.film,
  });
  const realtime = createRealtime({ models, faults, now, modelMs: options.modelMs ?? 0 });
  const refusals: Failure[] = [];
  const interruptions = createInterruptions();
  const streamFailures: object[] = [];
  const queue = createQueue({
    base,
    models,
    jobs,
    faults,
    storage,
    webhooks,
    posts,
    refusals,
    streamFailures,
  });

  function bill(one: Bill): void {
    billed.push(one);
    const { requestId, model, units } = one;
    const unitPrice = models.get(model)?.price.unit_price ?? 0;
    billing.push({
      requestId,
      at: now(),
      model,
      units,
      unitPrice,
      nanoUsd: nanoUsdOf(units, unitPrice),
    });
  }

  const jobsOf = (prompt: string) =>
    [...jobs.jobs.values()].filter((job) => job.prompt.includes(prompt));

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = new URL(request.url ?? "/", url);
    requests.push(`${request.method} ${address.pathname}`);
    if (interruptions.meet(response)) return;
    const [, door = ""] = address.pathname.split("/");
    const path = decodeURIComponent(address.pathname.slice(door.length + 2));
    const authorization = request.headers.authorization;
    const isOpen =
      door === "cdn" ||
      door === "sim" ||
      door === ".well-known" ||
      door === "site" ||
      door === "thumbnails" ||
      (door === "api" && path === "v1/models" && authorization === undefined);
    const isBill = door === "api" && path === "v1/models/billing-events";
    if (isBill && authorization === `Key ${key}`)
      return replyJson(response, 403, {
        error: { type: "permission_error", message: "Missing scope ADMIN" },
      });
    if (!isOpen && authorization !== `Key ${isBill ? adminKey : key}`) {
      const body =
        door === "api"
          ? { error: { type: "authorization_error", message: "Invalid API key" } }
          : { detail: "Cannot access application. Authentication is required." };
      await readBody(request);
      return replyJson(response, 401, body);
    }
    if (door === "site") return replyHtml(response);
    if (door === "thumbnails") return replyThumbnail(request, response, path);
    if (door === ".well-known") return replyJson(response, 200, webhooks.keySet());
    if (door === "cdn")
      return path.startsWith("files/")
        ? storage.serve(request, response, address)
        : storage.put(request, response, address);
    const body = await readBody(request);
    if (
      body.length > 0 &&
      request.method === "POST" &&
      !request.headers["content-type"]?.startsWith("application/json")
    ) {
      return replyJson(response, 422, {
        detail: [
          {
            loc: ["header", "content-type"],
            msg: "Input should be application/json",
            type: "missing",
          },
        ],
      });
    }
    const call = `${request.method} ${door}`;
    if (call === "POST queue" || call === "POST run")
      return queue.post(
        request,
        response,
        door as "queue" | "run",
        path,
        body,
        address.searchParams.get("fal_webhook"),
      );
    if (door === "queue") return queue.get(request, response, address, path);
    const json = (body.length > 0 ? JSON.parse(body.toString()) : {}) as Record<string, unknown>;
    if (call === "POST rest")
      return replyRest(request, response, path, address.searchParams.get("storage_type"), json);
    if (call === "GET api" && path === "v1/models")
      return replyModels(response, catalogue, address.searchParams, `${url}/thumbnails`);
    if (call === "GET api" && path === "v1/models/pricing")
      return replyPrices(response, options.isUnpriced ? new Map() : models, address.searchParams);
    if (call === "GET api" && isBill)
      return replyBilling(response, billing, address.searchParams, options.billsPerPage ?? 10_000);
    if (call === "POST api" && path === "v1/storage/files/sign") {
      if (!maySign)
        return replyJson(response, 403, {
          error: { type: "permission_error", message: "Missing permission assets:read" },
        });
      return storage.signAddress(
        response,
        address.searchParams.get("url") ?? "",
        json.expiration_seconds,
      );
    }
    if (door === "sim") return control(response, path, json);
    replyJson(response, 404, { detail: "Not found" });
  }

  function replyRest(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    storageType: string | null,
    body: Record<string, unknown>,
  ) {
    const lifecycle = request.headers["x-fal-object-lifecycle"];
    const wish = typeof lifecycle === "string" ? lifecycle : undefined;
    if (path.startsWith("storage/upload/") && storageType !== "fal-cdn-v3")
      return replyJson(response, 422, { detail: "Unknown storage type" });
    if (path === "storage/upload/initiate") return storage.initiate(response, body, wish, false);
    if (path === "storage/upload/initiate-multipart")
      return storage.initiate(response, body, wish, true);
    if (path === "storage/auth/token") return storage.grantToken(response);
    if (path === "tokens/" || path === "tokens/realtime")
      return realtime.grant(response, path, body);
    replyJson(response, 404, { detail: "Not found" });
  }

  function control(response: ServerResponse, path: string, body: Record<string, unknown>) {
    if (path === "script")
      faults.script(String(body.prompt), body.fault as FalFault, Number(body.times ?? 1));
    if (path === "release") jobs.release(String(body.prompt));
    if (path === "mend") jobs.mend(String(body.prompt));
    if (path === "deliver")
      for (const job of jobsOf(String(body.prompt)))
        void webhooks.deliver(job, body.wish as DeliveryWish);
    if (path === "answer") jobs.answer(String(body.prompt));
    replyJson(response, 200, {
      posts: posts.map(({ model, prompt, outcome }) => ({ model, prompt, outcome })),
      billed,
    });
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (!response.headersSent) replyJson(response, 500, { detail: String(error) });
      else response.destroy();
    });
  });
  let connections = 0;
  server.on("connection", () => connections++);
  realtime.listen(server);
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, host, resolve));
  url = `http://${host}:${(server.address() as AddressInfo).port}`;
  const addresses = {
    queue: `${url}/queue`,
    run: `${url}/run`,
    rest: `${url}/rest`,
    api: `${url}/api`,
    realtime: `${url.replace("http", "ws")}/realtime`,
    webhookKeys: `${url}/.well-known/jwks.json`,
  };
  return {
    url,
    addresses,
    key,
    adminKey,
    values: {
      key,
      ...Object.fromEntries(
        Object.entries(addresses).map(([name, address]) => [`${name}Address`, address]),
      ),
    },
    ledger: {
      posts,
      billed,
      billing,
      requests,
      postsOf: (prompt) => posts.filter((post) => post.prompt === prompt).length,
    },
    files: storage.files,
    realtime,
    script: faults.script,
    connections: () => connections,
    refuse: (refusal) => void refusals.push(refusal),
    interrupt: interruptions.interrupt,
    failStream: (event) => void streamFailures.push(event),
    fail(requestId, failure) {
      jobs.jobs.get(requestId)!.failure = failure;
    },
    release: jobs.release,
    answer: jobs.answer,
    mend: jobs.mend,
    async deliver(prompt, wish) {
      const of = jobsOf(prompt).filter(({ id }) => id === (wish?.requestId ?? id));
      const told = await Promise.all(of.map((job) => webhooks.deliver(job, wish)));
      return told.flat();
    },
    deliveries: webhooks.deliveries,
    changeKeys: webhooks.changeKeys,
    requestIdOf: (prompt, place = 0) => jobsOf(prompt)[place]?.id ?? "",
    async stop() {
      realtime.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "4801" },
      host: { type: "string" },
      step: { type: "string", default: "400" },
      frame: { type: "string", default: "120" },
    },
  });
  const fal = await startFal({
    port: Number(values.port),
    host: values.host ?? "127.0.0.1",
    pace: { by: "time", stepMs: Number(values.step) },
    modelMs: Number(values.frame),
  });
  console.log(
    `fal simulator at ${fal.url}\nkey ${fal.key}\n${JSON.stringify(fal.addresses, null, 2)}`,
  );
}

/** A model's gallery picture, which is public. One is a page, and keys must not be sent. */
function replyThumbnail(request: IncomingMessage, response: ServerResponse, model: string): void {
  if (request.headers.authorization !== undefined) replyJson(response, 400, {});
  else if (model === "acme/ideogram/v3") replyHtml(response);
  else response.setHeader("content-type", "image/png").end(makePng(model, 64, 36).bytes);
}

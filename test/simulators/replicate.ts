import { z } from "zod";
import { json } from "./kit/json.ts";
import { readForm, readJsonBody, replyPaid, sayRefusal } from "./kit/paid.ts";
import {
  type Call,
  type ProviderWire,
  type Refusal,
  type Simulator,
  startSimulator,
} from "./kit/server.ts";

export type Replicate = Omit<Simulator, "origin"> & {
  url: string;
  key: string;
  /** Files that were uploaded. */
  uploads: Record<string, unknown>[];
  /** Changes a prediction's reported fields from now on. */
  set(id: string, change: Record<string, unknown>): void;
};

const version = "5c7d5dc6dd8bf75c1acaa8565735e7986bc5b66206b55cca93cb72c9bf15ccaa";

/**
 * A version's schema in Cog's style: choices by `allOf`, the order by `x-order`, files by `format:
 * uri`.
 */
const schema = {
  openapi: "3.0.2",
  components: {
    schemas: {
      Input: {
        type: "object",
        title: "Input",
        required: ["prompt"],
        properties: {
          seed: { type: "integer", title: "Seed", "x-order": 2, description: "Random seed." },
          image: { type: "string", title: "Image", format: "uri", "x-order": 1 },
          prompt: { type: "string", title: "Prompt", "x-order": 0 },
          style: {
            allOf: [{ $ref: "#/components/schemas/style" }],
            default: "plain",
            "x-order": 3,
          },
        },
      },
      style: { enum: ["plain", "comic"], type: "string", title: "style" },
      Output: { type: "array", items: { type: "string", format: "uri" }, title: "Output" },
    },
  },
};
const model = (owner: string, name: string, official: boolean) => ({
  url: `https://replicate.com/${owner}/${name}`,
  owner,
  name,
  description: "Simulated.",
  visibility: "public",
  is_official: official,
  run_count: 5,
  cover_image_url: `https://replicate.delivery/pbxt/${name}.png`,
  default_example: {
    id: "p-example",
    status: "succeeded",
    input: {
      prompt: "a fox in the reeds",
      image: "https://replicate.delivery/pbxt/fox.png",
      style: "comic",
    },
    output: ["https://replicate.delivery/pbxt/out.png"],
  },
  latest_version: {
    id: version,
    created_at: "2026-01-01T00:00:00Z",
    cog_version: "0.16",
    openapi_schema: schema,
  },
});
const models = [
  model("forest", "flux", true),
  model("lab", "sketch", false),
  { ...model("lab", "film", false), cover_image_url: null },
  model("lab", "voice", false),
];
const collections: Record<string, unknown[]> = {
  "text-to-image": [
    models[0],
    models[1],
    { ...model("lab", "empty", false), latest_version: null },
  ],
  "image-editing": [models[0]],
  "text-to-video": [models[2]],
  "odd-things": [model("lab", "odd", false)],
};

const input = z.strictObject({
  prompt: z.string().min(1),
  seed: z.int().optional(),
  image: z.url().optional(),
  style: z.enum(["plain", "comic"]).optional(),
});
const further = {
  webhook: z.url().optional(),
  webhook_events_filter: z.array(z.enum(["start", "output", "logs", "completed"])).optional(),
};
/**
 * POST /v1/models/{owner}/{name}/predictions and POST /v1/predictions
 * (https://replicate.com/docs/reference/http).
 */
const ofModel = z.strictObject({ input, ...further });
const ofVersion = z.strictObject({
  input,
  version: z.string().regex(/^([0-9a-f]{64}|[\w.-]+\/[\w.-]+(:[0-9a-f]{64})?)$/),
  ...further,
});

const problem = (status: number, title: string, detail: string): Refusal => ({
  status,
  body: { title, detail, status },
});
const notFound = problem(404, "Not Found", "The requested resource could not be found.");
type Prediction = Record<string, unknown> & { id: string; status: string };

/**
 * A strict server of Replicate's API. Each poll advances a prediction by one step: starting,
 * processing, succeeded.
 * @param now the time of its end, from which its files are kept for an hour
 */
export async function startReplicate(
  now = () => Date.parse("2026-11-02T10:00:00Z"),
): Promise<Replicate> {
  const key = "r8_simulatedKeyOfSomebody";
  const predictions = new Map<string, Prediction>();
  const uploads: Record<string, unknown>[] = [];
  const wire: ProviderWire = {
    async answerFree(call, origin) {
      const { pathname } = call.url;
      const isUpload = call.method === "POST" && pathname === "/v1/files";
      const isCancel = call.method === "POST" && pathname.endsWith("/cancel");
      if (call.method === "POST" && !isUpload && !isCancel) return false;
      if (!isAuthorized(call)) return sayRefusal(call, unauthorized);
      if (isUpload) return takeFile(call, origin);
      const found = isCancel ? cancel(pathname) : read(call);
      if (!found) return sayRefusal(call, notFound);
      json(call.response, found);
      return true;
    },
    refuse(call, post) {
      if (!isAuthorized(call)) return unauthorized;
      const [, path] = /^\/v1\/models\/([\w.-]+\/[\w.-]+)\/predictions$/.exec(post.path) ?? [];
      if (!path && post.path !== "/v1/predictions") return notFound;
      // Only an official model runs without a version.
      if (
        path &&
        !models.some(({ owner, name, is_official }) => is_official && `${owner}/${name}` === path)
      )
        return notFound;
      const checked = (path ? ofModel : ofVersion).safeParse(readJsonBody(call, post));
      if (checked.success) return null;
      const [issue] = checked.error.issues;
      const field = issue?.path.join(".") ?? "";
      const refusal = problem(422, "Input validation failed", `- ${field}: ${issue?.message}`);
      return {
        ...refusal,
        body: {
          ...(refusal.body as object),
          invalid_fields: [{ type: issue?.code, field, description: issue?.message }],
        },
      };
    },
    answer(given) {
      const id = `pred${String(predictions.size + 1).padStart(22, "0")}`;
      const body = given.post.body as { input: object; version?: string };
      const { origin } = given;
      const prediction: Prediction = {
        id,
        model: "lab/sketch",
        version: body.version ?? "hidden",
        input: body.input,
        logs: "",
        output: null,
        data_removed: false,
        error: null,
        status: "starting",
        created_at: "2026-11-02T09:59:00Z",
        urls: {
          get: `${origin}/v1/predictions/${id}`,
          cancel: `${origin}/v1/predictions/${id}/cancel`,
        },
      };
      predictions.set(id, prediction);
      return replyPaid(given, {
        status: 201,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(prediction),
      });
    },
    errorBody: (status, message) => ({ title: "Simulated", detail: message, status }),
  };
  const isAuthorized = ({ headers }: Call) => headers.authorization === `Bearer ${key}`;
  const unauthorized = problem(
    401,
    "Unauthenticated",
    "You did not pass a valid authentication token",
  );

  async function takeFile(call: Call, origin: string): Promise<true> {
    const form = await readForm(call, { body: null } as Parameters<typeof readForm>[1]);
    if (!form || typeof form.content !== "object")
      return sayRefusal(call, problem(400, "Bad request", "Missing content"));
    uploads.push(form.content as Record<string, unknown>);
    const id = `file${uploads.length}`;
    call.response.statusCode = 201;
    json(call.response, {
      id,
      ...form,
      urls: { get: `${origin}/v1/files/${id}` },
      expires_at: "2026-11-03T10:00:00Z",
    });
    return true;
  }

  function cancel(path: string): Prediction | undefined {
    const prediction = predictions.get(path.split("/")[3] ?? "");
    if (prediction && (prediction.status === "starting" || prediction.status === "processing"))
      prediction.status = "canceled";
    return prediction;
  }

  function read({ method, url, headers, body }: Call): unknown {
    const path = url.pathname;
    if (path === "/v1/models" && method === "QUERY" && headers["content-type"] === "text/plain") {
      return {
        next: null,
        previous: null,
        results: models.filter(({ name }) => name.includes(body.toString())),
      };
    }
    if (method !== "GET") return undefined;
    if (path === "/v1/account") return { type: "user", username: "somebody", name: "Some Body" };
    const [, , kind, first = "", second = ""] = path.split("/");
    if (kind === "collections") {
      const found = collections[first];
      return found && { name: first, slug: first, description: "Simulated.", models: found };
    }
    if (kind === "models")
      return models.find(({ owner, name }) => owner === first && name === second);
    return kind === "predictions" ? step(first) : undefined;
  }

  function step(id: string): Prediction | undefined {
    const prediction = predictions.get(id);
    if (!prediction) return undefined;
    const told = { ...prediction };
    if (prediction.status === "processing") {
      Object.assign(prediction, {
        status: "succeeded",
        output: ["https://replicate.delivery/xezq/abc/out-0.png"],
        completed_at: new Date(now()).toISOString(),
        metrics: { predict_time: 1.25, image_count: 1 },
      });
    }
    if (prediction.status === "starting") {
      Object.assign(prediction, {
        status: "processing",
        logs: "Using seed: 7\r\n 40%|####      | 8/20 [00:01<00:02, 9.9it/s]\n",
      });
    }
    return told;
  }

  const { origin, ...simulator } = await startSimulator(wire);
  return {
    ...simulator,
    url: origin,
    key,
    uploads,
    set: (id, change) => void Object.assign(predictions.get(id) ?? {}, change),
  };
}

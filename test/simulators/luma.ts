import { z } from "zod";
import { json } from "./kit/json.ts";
import { readJsonBody, replyPaid, sayRefusal } from "./kit/paid.ts";
import {
  type Call,
  type ProviderWire,
  type Refusal,
  type Simulator,
  startSimulator,
} from "./kit/server.ts";

export type Luma = Omit<Simulator, "origin"> & {
  url: string;
  key: string;
  /** Changes a generation's reported fields from now on. */
  set(id: string, change: Record<string, unknown>): void;
};

const aspect_ratio = z.enum(["1:1", "16:9", "9:16", "4:3", "3:4", "21:9", "9:21"]).optional();
const prompt = z.string().min(3).max(5_000).optional();
const url = z.url({ protocol: /^https$/ });
const keyframe = z.union([
  z.strictObject({ type: z.literal("image"), url }),
  z.strictObject({ type: z.literal("generation"), id: z.uuid() }),
]);
const reference = z.strictObject({ url, weight: z.number().optional() });

/** POST /generations (https://docs.lumalabs.ai/reference/creategeneration). */
const video = z.strictObject({
  generation_type: z.literal("video").optional(),
  model: z.enum(["ray-1-6", "ray-2", "ray-flash-2"]),
  prompt,
  aspect_ratio,
  resolution: z.enum(["540p", "720p", "1080p", "4k"]).optional(),
  duration: z.enum(["5s", "9s"]).optional(),
  loop: z.boolean().optional(),
  keyframes: z
    .strictObject({ frame0: keyframe.optional(), frame1: keyframe.optional() })
    .optional(),
  callback_url: z.url().optional(),
});
/** POST /generations/image (https://docs.lumalabs.ai/reference/generateimage). */
const image = z.strictObject({
  generation_type: z.literal("image").optional(),
  model: z.enum(["photon-1", "photon-flash-1"]),
  prompt,
  aspect_ratio,
  format: z.enum(["jpg", "png"]).optional(),
  image_ref: z.array(reference).max(4).optional(),
  style_ref: z.array(reference).max(1).optional(),
  character_ref: z.strictObject({ identity0: z.strictObject({ images: z.array(url) }) }).optional(),
  modify_image_ref: reference.optional(),
  callback_url: z.url().optional(),
  sync: z.boolean().optional(),
  sync_timeout: z.number().optional(),
});

const root = "/dream-machine/v1";
const refusal = (status: number, detail: string): Refusal => ({ status, body: { detail } });
type Generation = Record<string, unknown> & { id: string; state: string; generation_type: string };

/**
 * A strict server of the Dream Machine API. Each poll advances a generation by one step: queued,
 * dreaming, completed.
 */
export async function startLuma(): Promise<Luma> {
  const key = "luma-simulated-0000-key";
  const generations = new Map<string, Generation>();
  const wrongKey = ({ headers }: Call) =>
    headers.authorization === `Bearer ${key}` ? null : refusal(403, "Not authenticated");

  const wire: ProviderWire = {
    answerFree(call) {
      if (call.method === "POST") return false;
      const no = wrongKey(call);
      if (no) return sayRefusal(call, no);
      const path = call.url.pathname;
      if (path === `${root}/credits` && call.method === "GET") {
        json(call.response, { credit_balance: 1_250 });
        return true;
      }
      const generation = generations.get(path.slice(`${root}/generations/`.length));
      if (!generation) return sayRefusal(call, refusal(404, "Generation not found"));
      if (call.method === "DELETE") {
        generations.delete(generation.id);
        call.response.writeHead(204).end();
        return true;
      }
      json(call.response, { ...generation });
      step(generation);
      return true;
    },
    refuse(call, post) {
      const no = wrongKey(call);
      if (no) return no;
      const schema =
        post.path === `${root}/generations`
          ? video
          : post.path === `${root}/generations/image`
            ? image
            : null;
      if (!schema) return refusal(404, "Not found");
      const read = schema.safeParse(readJsonBody(call, post));
      if (read.success) return null;
      const detail = read.error.issues.map(({ path, message, code }) => ({
        loc: ["body", ...path],
        msg: message,
        type: code,
      }));
      return { status: 422, body: { detail } };
    },
    answer(given) {
      const id = `00000000-0000-4000-8000-${String(generations.size + 1).padStart(12, "0")}`;
      const body = given.post.body as { model: string };
      const generation: Generation = {
        id,
        generation_type: given.post.path.endsWith("/image") ? "image" : "video",
        state: "queued",
        failure_reason: null,
        created_at: "2026-11-02T09:59:00Z",
        assets: null,
        model: body.model,
        request: body,
      };
      generations.set(id, generation);
      return replyPaid(given, {
        status: 201,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(generation),
      });
    },
    errorBody: (_status, message) => ({ detail: message }),
  };

  const { origin, ...simulator } = await startSimulator(wire);
  return {
    ...simulator,
    url: origin,
    key,
    set: (id, change) => void Object.assign(generations.get(id) ?? {}, change),
  };
}

function step(generation: Generation): void {
  if (generation.state === "dreaming") {
    generation.state = "completed";
    const { generation_type: kind, id } = generation;
    generation.assets =
      kind === "image"
        ? { image: `https://storage.cdn-luma.com/${id}.jpg` }
        : { video: `https://storage.cdn-luma.com/${id}.mp4` };
  }
  if (generation.state === "queued") generation.state = "dreaming";
}

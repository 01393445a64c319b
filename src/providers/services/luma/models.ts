import type { JsonSchema } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { CallContext, ModelFacts } from "../../adapter.ts";
import { inOrder } from "../../wire/forms.ts";
import { api, root } from "./access.ts";

/**
 * Checks the address and the key with GET /credits.
 * @throws ProviderError
 */
export async function checkConnection(context: CallContext): Promise<{ message: string }> {
  const { credit_balance: cents } = await api.callObject(context, `${root}/credits`);
  return {
    message:
      typeof cents === "number"
        ? sentences.connections.credit({ dollars: (cents / 100).toFixed(2) })
        : sentences.connections.connected,
  };
}

const aspect_ratio: JsonSchema = {
  type: "string",
  title: "Shape",
  enum: ["16:9", "9:16", "1:1", "4:3", "3:4", "21:9", "9:21"],
};
const prompt: JsonSchema = {
  type: "string",
  title: "Prompt",
  minLength: 3,
  maxLength: Math.min(5_000, limits.promptCharacters),
};
/** Luma downloads pictures itself and accepts no uploads, so library files can't be sent. */
const address = (title: string): JsonSchema => ({
  type: "string",
  title,
  description: "A public https:// address. Luma does not accept uploads.",
  pattern: "^https://",
});

/** POST /generations (https://docs.lumalabs.ai/docs/video-generation). */
const videoForm = inOrder(
  {
    prompt,
    aspect_ratio,
    resolution: { type: "string", title: "Resolution", enum: ["540p", "720p", "1080p", "4k"] },
    duration: { type: "string", title: "Length", enum: ["5s", "9s"] },
    loop: { type: "boolean", title: "Loops without a seam" },
    first_frame: address("First frame"),
    last_frame: address("Last frame"),
  },
  ["prompt"],
);

/** POST /generations/image (https://docs.lumalabs.ai/docs/image-generation). */
const imageForm = inOrder(
  {
    prompt,
    aspect_ratio,
    format: { type: "string", title: "File format", enum: ["jpg", "png"] },
    image_ref: address("Picture to be guided by"),
    style_ref: address("Picture whose style to take"),
    modify_image_ref: address("Picture to change"),
  },
  ["prompt"],
);

/**
 * From https://docs.lumalabs.ai and Luma's own clients, as of 2026-11, because the API has no list.
 */
const known = [
  { id: "ray-2", name: "Ray 2", task: "video" },
  { id: "ray-flash-2", name: "Ray 2 Flash", task: "video" },
  { id: "photon-1", name: "Photon", task: "image" },
  { id: "photon-flash-1", name: "Photon Flash", task: "image" },
] as const;

/** Lists the API's models, without a request. */
export async function* listModels(): AsyncGenerator<ModelFacts[]> {
  yield known.map(({ id, name, task }) => ({
    id,
    name,
    tasks: [task],
    inputModalities: ["text"],
    outputModalities: [task],
    inputSchema: task === "video" ? videoForm : imageForm,
    capabilities: { seed: false },
    limits: {},
    price: null,
    status: "active",
  }));
}

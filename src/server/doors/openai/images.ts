import type { Asset, ModelDetail } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { ImageEditBody, ImagesBody } from "#contract/schemas/doors/openai.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { ServerDeps } from "../../deps.ts";
import { saveFormFile, saveReferencedFile, withForm } from "../programs/files.ts";
import { type Asking, extraFields, headersOf, usageOf } from "../programs/follow.ts";
import type { Form } from "../programs/form.ts";
import { bearerOf, hourMs, linkTo } from "../programs/links.ts";
import { answerGone, streamOf } from "../programs/stream.ts";
import { onProblem } from "./errors.ts";
import {
  begin,
  type CompletedRuns,
  collect,
  type Fields,
  fieldsOf,
  nameIn,
  passOn,
  readBytes,
  refuseField,
} from "./make.ts";
import { type PictureStream, pictureEvents } from "./picture-events.ts";

const shapes = ["b64_json", "url"] as const;
type Wish = {
  model: string;
  prompt: string;
  n?: number | null;
  size?: string | null;
  form?: (typeof shapes)[number] | null;
  isStreamed: boolean;
  rest: Record<string, unknown>;
};

/** POST /v1/images/generations. Other fields of the model's form are passed through. */
export async function createImages(
  deps: ServerDeps,
  asking: Asking,
  body: ImagesBody,
): Promise<Response> {
  return answer(deps, asking, wishOf(body));
}

function wishOf(body: ImagesBody): Wish {
  const { model, prompt, n, size, response_format: form, stream, user: _, ...rest } = body;
  return { model, prompt, n, size, form, isStreamed: stream === true, rest };
}

/**
 * POST /v1/images/edits with the fields of a generation: as JSON with `images` and `mask`, or as a
 * form with `image` (or several `image[]`) and `mask`.
 */
export const editImages = (
  deps: ServerDeps,
  asking: Asking,
  body: ImageEditBody | undefined,
): Promise<Response> =>
  body
    ? editByJson(deps, asking, body)
    : withForm(deps, asking, (form) => editAsAsked(deps, asking, form));

async function editByJson(
  deps: ServerDeps,
  asking: Asking,
  { images, mask, ...body }: ImageEditBody,
): Promise<Response> {
  const toSave = (
    { image_url: url, file_id: id }: ImageEditBody["images"][number],
    at: string,
  ): SaveFile => {
    const source = url || id;
    if (!source)
      throw new Problem("invalid_input", { field: at, message: sentences.api.pictureMissing });
    return () => saveReferencedFile(deps, asking, source, at, "picture");
  };
  const sent: SentPictures = {
    pictures: images.map((picture, i) => toSave(picture, `images.${i}`)),
    mask: mask ? toSave(mask, "mask") : undefined,
  };
  return answer(deps, asking, wishOf(body), sent);
}

async function editAsAsked(
  deps: ServerDeps,
  asking: Asking,
  form: Form["fields"],
): Promise<Response> {
  const rest: Record<string, unknown> = {};
  const pictures: SaveFile[] = [];
  let mask: SaveFile | undefined;
  const words: Record<string, string> = {};
  for (const [name, value] of form) {
    if (typeof value !== "string") {
      const save = () => saveFormFile(deps, asking, value);
      if (name === "image" || name === "image[]") pictures.push(save);
      else if (name === "mask") mask = save;
      else
        throw new Problem("invalid_input", {
          field: name,
          message: sentences.api.notAFormFile({ name }),
        });
    } else if (["model", "prompt", "n", "size", "response_format", "stream"].includes(name))
      words[name] = value;
    else if (name !== "user") rest[name] = numberOr(value);
  }
  if (!words.model || pictures.length === 0)
    throw new Problem("invalid_input", {
      field: words.model ? "image" : "model",
      message: sentences.api.modelAndImageNeeded,
    });
  const n = words.n === undefined ? undefined : Number(words.n);
  if (n !== undefined && !(Number.isInteger(n) && n >= 1 && n <= limits.variantsPerForm))
    throw new Problem("invalid_input", {
      field: "n",
      message: sentences.api.pictureCount({ most: limits.variantsPerForm }),
    });
  const { model, prompt = "", size, response_format: given } = words;
  const shape = given === undefined ? null : shapes.find((one) => one === given);
  if (shape === undefined)
    throw new Problem("invalid_input", {
      field: "response_format",
      message: `One of ${shapes.join(", ")}.`,
    });
  const isStreamed = words.stream === "true";
  const wish: Wish = { model, prompt, n, size, form: shape, isStreamed, rest };
  return answer(deps, asking, wish, { pictures, mask });
}

/**
 * Forms contain only text, so numeric text becomes a number where the model's form takes numbers.
 */
const numberOr = (value: string): string | number | boolean =>
  /^-?\d+(\.\d+)?$/.test(value)
    ? Number(value)
    : value === "true"
      ? true
      : value === "false"
        ? false
        : value;

/** Saves a file of the request, and returns the id of its asset. */
type SaveFile = () => Promise<string>;
type SentPictures = { pictures: readonly SaveFile[]; mask: SaveFile | undefined };

/**
 * Saves the pictures of an edit, if its model takes as many.
 * @throws Problem invalid_input, and the errors of saving a file
 */
async function filesFor(fields: Fields, { pictures, mask }: SentPictures): Promise<JsonObject> {
  const name = nameIn(fields, [
    "images",
    "image_urls",
    "image",
    "image_url",
    "input_image_urls",
    "input_image_url",
  ]);
  if (name === undefined) refuseField(fields, "image");
  const takesMany = fields.own[name]?.type === "array" || /s$/.test(name);
  const most = takesMany ? fields.own[name]?.maxItems : 1;
  if (typeof most === "number" && pictures.length > most)
    throw new Problem("invalid_input", {
      field: "image",
      message: sentences.api.mostPictures({ model: fields.model.name, most }),
    });
  const maskName = mask && nameIn(fields, ["mask", "mask_url", "mask_image_url"]);
  if (mask && !maskName) refuseField(fields, "mask");
  const references: string[] = [];
  for (const save of pictures) references.push(`asset:${await save()}`);
  return {
    [name]: takesMany ? references : references[0]!,
    ...(mask && maskName && { [maskName]: `asset:${await mask()}` }),
  };
}

async function answer(
  deps: ServerDeps,
  asking: Asking,
  wish: Wish,
  sent?: SentPictures,
): Promise<Response> {
  const unknown = new Set<string>();
  const begun = await begin(deps, asking, {
    model: wish.model,
    tasks: ["image", "edit"],
    count: wish.n ?? 1,
    input: (model) =>
      inputOf(model, wish, unknown, async (fields) => (sent ? filesFor(fields, sent) : {})),
  });
  const contentOf = async (asset: Asset): Promise<object> =>
    wish.form === "url"
      ? { url: linkTo(deps, asking.line, bearerOf(asking.actor), asset, hourMs) }
      : { b64_json: (await readBytes(deps, asset)).toString("base64") };
  const dropped = [...unknown];
  if (wish.isStreamed) {
    const stream: PictureStream = {
      of: sent ? "image_edit" : "image_generation",
      partials: Number(wish.rest.partial_images) || 0,
      look: lookOf(wish),
      unmet: { unused: [], dropped },
      contentOf,
      usageOf: usageOfPictures,
    };
    return streamOf(deps, asking, pictureEvents(deps, asking, begun, stream), {
      headers: headersOf(begun.runs[0]?.id ?? "", dropped),
      onProblem,
    });
  }
  const made = await collect(deps, asking, begun);
  if (!made) return answerGone;
  const [first] = made.runs;
  const data = await Promise.all(made.assets.filter(({ kind }) => kind === "image").map(contentOf));
  const body = {
    created: Math.floor(deps.clock.now() / 1000),
    data,
    ...usageOfPictures(made),
    bottega: asides(made, dropped),
  };
  return asking.c.json(body, 200, headersOf(first?.id ?? "", dropped));
}

/** The requested look, which each event of a stream repeats. */
function lookOf({ size, rest }: Wish): PictureStream["look"] {
  const textOrAuto = (value: unknown): string => (typeof value === "string" ? value : "auto");
  return {
    size: textOrAuto(size),
    quality: textOrAuto(rest.quality),
    background: textOrAuto(rest.background),
  };
}

/** Sums the usage of all pictures, if their service counts tokens. */
function usageOfPictures({ runs }: CompletedRuns): object {
  const used = runs.map(usageOf).filter(({ isCounted }) => isCounted);
  if (used.length === 0) return {};
  const sum = (count: (one: (typeof used)[number]) => number): number =>
    used.reduce((total, one) => total + count(one), 0);
  const [input, pictures] = [sum((one) => one.inputTokens), sum((one) => one.imageInputTokens)];
  return {
    usage: {
      input_tokens: input,
      input_tokens_details: { image_tokens: pictures, text_tokens: input - pictures },
      output_tokens: sum((one) => one.outputTokens),
      total_tokens: sum((one) => one.total),
    },
  };
}

const asides = ({ runs }: CompletedRuns, dropped: readonly string[]) =>
  runs.map((run) => extraFields(run, { unused: [], dropped }));

async function inputOf(
  model: ModelDetail,
  wish: Wish,
  dropped: Set<string>,
  files: (fields: Fields) => Promise<JsonObject>,
): Promise<JsonObject> {
  const fields = fieldsOf(model);
  const promptName = nameIn(fields, ["prompt", "text"]);
  if (promptName === undefined && wish.prompt !== "") refuseField(fields, "prompt");
  // "auto" is the model's own default. A stream has as many previews as the model makes.
  const isSilent = (name: string, value: unknown): boolean =>
    value === "auto" || (name === "partial_images" && wish.isStreamed);
  // They cost, and the stream of several pictures shows none.
  const isUnseen = (name: string): boolean =>
    name === "partial_images" && wish.isStreamed && (wish.n ?? 1) > 1;
  const rest = Object.fromEntries(
    Object.entries(wish.rest).filter(
      ([name, value]) => !isUnseen(name) && (!isSilent(name, value) || nameIn(fields, [name])),
    ),
  );
  return {
    ...(promptName && wish.prompt !== "" && { [promptName]: wish.prompt }),
    ...sizeFor(fields, wish.size),
    // Each preview costs, so none is made unless the program asks, as in OpenAI's API.
    ...(Object.hasOwn(fields.own, "partial_images") && { partial_images: 0 }),
    ...passOn(fields, rest, dropped),
    // Last, so that a refused request saves nothing.
    ...(await files(fields)),
  };
}

/** Converts OpenAI's "1024x1536" to the terms of the model's own form. */
function sizeFor(fields: Fields, size: string | null | undefined): JsonObject {
  if (!size || size === "auto") return {};
  const [, w, h] = /^(\d{1,5})x(\d{1,5})$/.exec(size) ?? [];
  const { own } = fields;
  if (nameIn(fields, ["size"])) return { size };
  if (w === undefined || h === undefined)
    throw new Problem("invalid_input", {
      field: "size",
      message: sentences.api.sizeForm,
    });
  const [width, height] = [Number(w), Number(h)];
  if (own.image_size && takesObject(own.image_size)) return { image_size: { width, height } };
  if (own.width && own.height) return { width, height };
  const ratio = own.aspect_ratio && ratioAmong(own.aspect_ratio, width / height);
  if (ratio) return { aspect_ratio: ratio };
  return refuseField(fields, "size");
}

const takesObject = (schema: JsonSchema): boolean =>
  schema.type === "object" ||
  schema.$ref !== undefined ||
  ["anyOf", "oneOf", "allOf"].some(
    (word) => Array.isArray(schema[word]) && (schema[word] as JsonSchema[]).some(takesObject),
  );

/** Returns the model's own name for a ratio: "3:2" for 1536x1024. */
const ratioAmong = (schema: JsonSchema, ratio: number): string | undefined =>
  (Array.isArray(schema.enum) ? schema.enum : []).find((name): name is string => {
    const [w, h] = String(name).split(":").map(Number);
    return w !== undefined && h !== undefined && Math.abs(w / h - ratio) < 0.01;
  });

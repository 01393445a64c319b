import type { Json, JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  type AnswerPart,
  type JobResult,
  type ProducedFile,
  ProviderError,
  type RunContext,
  type RunRequest,
} from "../../adapter.ts";
import { picturesIn, readPictures } from "../../aws/pictures.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { invoke, signInToSageMaker } from "./access.ts";
import type { Template } from "./endpoints.ts";

/** Returns an endpoint's request, and the response type to ask for. */
export function toInvocation(
  request: RunRequest,
  template: Template,
): { body: string; headers: Record<string, string> } {
  const isPicture = template === "images";
  return {
    body: JSON.stringify(isPicture ? toJumpStart(request) : request.input),
    // JumpStart returns pixels as numbers unless JPEG is requested.
    headers: {
      "content-type": "application/json",
      accept: isPicture ? "application/json;jpeg" : "*/*",
    },
  };
}

/**
 * JumpStart's Stable Diffusion (https://docs.aws.amazon.com/sagemaker/latest/dg/jumpstart.html,
 * "Text to image").
 */
function toJumpStart({ input }: RunRequest): JsonObject {
  const fields = {
    prompt: input.prompt,
    negative_prompt: input.negativePrompt,
    width: input.width,
    height: input.height,
    num_images_per_prompt: input.n,
    num_inference_steps: input.steps,
    guidance_scale: input.guidanceScale,
    seed: input.seed,
  };
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && value !== "" && value !== null,
    ),
  ) as JsonObject;
}

/**
 * Makes one request with a whole response.
 * @throws ProviderError, or the signal's reason
 */
export async function* answerWhole(
  request: RunRequest,
  unsigned: RunContext,
  template: Template,
): AsyncGenerator<AnswerPart> {
  const { context } = await signInToSageMaker(unsigned);
  const response = await invoke(
    context,
    request.model.id,
    "invocations",
    toInvocation(request, template),
  );
  const bytes = await readAll(response);
  const mime = response.headers.get("content-type") ?? "application/json";
  if (template === "images") return yield* readPictures(parse(bytes), context);
  const { files, result } = toResult(bytes, mime);
  for (const output of files) yield { type: "file", output };
  yield {
    type: "finish",
    reason: "stop",
    usage: {},
    ...(Object.keys(result).length > 0 && { result }),
  };
}

async function readAll(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > limits.outputBytes)
      throw new ProviderError("provider_protocol", "yes", {
        message: sentences.answers.tooLarge,
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Splits a free-form response: pictures from its JSON, the rest as the run's result. Any other type
 * is saved as a file.
 */
export function toResult(bytes: Buffer, mime: string): Pick<JobResult, "files" | "result"> {
  if (!/json/i.test(mime))
    return { files: [{ name: "answer", mime: mime.split(";", 1)[0]!, bytes }], result: {} };
  const answer = parse(bytes);
  const body = isRecord(answer) ? (answer as JsonObject) : {};
  const pictures = picturesIn(body);
  const files: ProducedFile[] =
    pictures.length > 0
      ? pictures.map((picture, index) => ({
          name: `picture-${index + 1}`,
          bytes: Buffer.from(picture, "base64"),
        }))
      : [{ name: "answer.json", mime: "application/json", bytes }];
  const result = Object.fromEntries(
    Object.entries(body).filter(
      ([, value]) => typeof value !== "object" && !pictures.includes(String(value)),
    ),
  );
  return { files, result };
}

export function parse(bytes: Buffer): Json {
  try {
    return JSON.parse(bytes.toString("utf8")) as Json;
  } catch (cause) {
    throw new ProviderError(
      "provider_protocol",
      "unknown",
      { message: sentences.answers.endpointNotJson },
      { cause },
    );
  }
}

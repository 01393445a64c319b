import { sentences } from "#contract/sentences/index.ts";
import {
  type CallContext,
  type JobHandle,
  type JobResult,
  type ProducedFile,
  ProviderError,
} from "../../../adapter.ts";
import { isRecord } from "../../../wire/error-fields.ts";
import { callFal, givenUrl, readJson } from "../call.ts";
import type { FalPhase } from "../errors.ts";
import { isPrivate, type SignedFile, signFile } from "../files/file-access.ts";
import { type FoundFile, readDataUrl, splitResult } from "../files/output-files.ts";
import { fileLifetimeSeconds } from "../kind.ts";

/**
 * @throws ProviderError; `detail.final` distinguishes a failed job from a response that didn't
 *   arrive
 */
export async function readResult(handle: JobHandle, context: CallContext): Promise<JobResult> {
  return toJobResult(
    await callFal(context, givenUrl(context, handle.urls.result ?? ""), { phase: "result" }),
    "result",
    context,
  );
}

/**
 * Reads files, facts and usage from a response with a model's output. `x-fal-billable-units` counts
 * in the unit of the model's price; a caller that knows the price computes the cost.
 */
export async function toJobResult(
  response: Response,
  phase: FalPhase,
  context: CallContext,
): Promise<JobResult> {
  const output = await readJson(response, phase);
  // Every output is an object; any other response has an unknown origin. A queue's result is
  // requested again.
  if (!isRecord(output)) {
    if (phase === "submit")
      throw new ProviderError("outcome_unknown", "unknown", { httpStatus: response.status });
    throw new ProviderError("provider_protocol", "yes", {
      message: sentences.fal.unknownResult,
      httpStatus: response.status,
    });
  }
  return resultOf(output, response, phase, context);
}

/** Like `toJobResult`, for an output that was already read: the last event of a stream. */
export async function resultOf(
  output: unknown,
  response: Response,
  phase: FalPhase,
  context: CallContext,
): Promise<JobResult> {
  const { files, result } = splitResult(output);
  const names = isRecord(output) ? Object.keys(output) : [];
  const isOthers = names.every((name) => name === "message");
  if (files.length === 0 && (isOthers || Object.values(result).every(isNothing)))
    throw noOutput(phase, !isOthers);
  const units = response.headers.get("x-fal-billable-units");
  return {
    files: await Promise.all(files.map((file) => toProducedFile(file, phase, context))),
    result,
    usage: units && /^\d+(\.\d+)?$/.test(units) ? { units: { "billable-units": units } } : {},
  };
}

const isNothing = (value: unknown): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0);

/**
 * @param isNamed the output's fields are present but empty. An object without any, or with only a
 *   message, may be a gateway's, and is requested again.
 */
function noOutput(phase: FalPhase, isNamed: boolean): ProviderError {
  const message = sentences.fal.noOutput;
  if (!isNamed) return new ProviderError("provider_protocol", "yes", { message });
  return new ProviderError("output_unavailable", "yes", {
    message,
    ...(phase === "result" && { final: true, billed: true }),
  });
}

async function toProducedFile(
  file: FoundFile,
  phase: FalPhase,
  context: CallContext,
): Promise<ProducedFile> {
  if (file.url.startsWith("data:"))
    return readDataUrl(file) ?? { ...file, bytes: new Uint8Array() };
  const { url, ...facts } = file;
  const expiresAt = context.clock.now() + fileLifetimeSeconds * 1_000;
  if (!isPrivate(context)) return { ...facts, url, expiresAt };
  const signed = await signFile(context, url).catch((error): SignedFile => {
    // A queue's result is requested again. A direct response arrives only once, so its files are
    // opened with the key when they are fetched.
    if (phase !== "submit") throw error;
    return { refused: "unsigned" };
  });
  if ("url" in signed) return { ...facts, url: signed.url, expiresAt };
  return signed.refused === "foreign"
    ? { ...facts, url }
    : { ...facts, url, expiresAt, needsKey: true };
}

import { sentences } from "#contract/sentences/index.ts";
import {
  type CallContext,
  type JobAdapter,
  type JobHandle,
  type JobResult,
  type JobStatus,
  type ProducedFile,
  ProviderError,
  type RunContext,
  type RunRequest,
} from "../../adapter.ts";
import { readPictures } from "../../aws/pictures.ts";
import { callS3, parseS3Uri, putObject, refusal, type S3Place, toS3Uri } from "../../aws/s3.ts";
import type { SignedIn } from "../../aws/signed-fetch.ts";
import { isHtml } from "../../outbound/outbound-body.ts";
import { isRecord, redact } from "../../wire/error-fields.ts";
import { readJson, readOptions, readText } from "../../wire/http-errors.ts";
import { invoke, signInToSageMaker } from "./access.ts";
import { endpointOf } from "./endpoints.ts";
import { codeOfFailure } from "./errors.ts";
import { parse, toInvocation, toResult } from "./media.ts";

/**
 * Runs an asynchronous endpoint: its input and output are objects in a bucket, which is polled
 * until the output is there. It has no cancel.
 */
export const asyncEndpoint: JobAdapter = { submit, status, result, cancel: async () => false };

/**
 * A request expires after six hours in the queue, and is aborted after an hour of processing
 * (https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_InvokeEndpointAsync.html),
 * so nothing is written later than this.
 */
const longestMs = 7 * 60 * 60_000;
const removalMs = 10_000;
const failureBytes = 64 * 1024;
const answerBytes = 256 * 1024 ** 2;

async function submit(request: RunRequest, unsigned: RunContext): Promise<JobHandle> {
  const bucket = parseS3Uri(unsigned.connection.options.asyncBucket);
  if (!bucket) {
    throw new ProviderError("provider_invalid_input", "no", {
      message: sentences.cloud.asyncBucketNeeded,
    });
  }
  const { template } = endpointOf(unsigned.connection.options, request.model.id);
  const { body, headers } = toInvocation(request, template);
  const signedIn = await signInToSageMaker(unsigned);
  const { context } = signedIn;
  const input = {
    ...bucket,
    key: [bucket.key, `${context.clientToken}.json`].filter(Boolean).join("/"),
  };
  // Nothing paid has been requested yet.
  await putObject(
    input,
    Buffer.from(body),
    "application/json",
    signedIn,
    asItIs(unsigned, signedIn),
  ).catch((error: unknown) => {
    throw error instanceof ProviderError
      ? new ProviderError(error.code, "no", error.detail, { cause: error })
      : error;
  });
  const response = await invoke(context, request.model.id, "async-invocations", {
    headers: {
      "x-amzn-sagemaker-inputlocation": toS3Uri(input),
      "x-amzn-sagemaker-content-type": headers["content-type"]!,
      "x-amzn-sagemaker-accept": headers.accept!,
      "x-amzn-sagemaker-inference-id": context.clientToken,
    },
  });
  const answer = await readJson(response, readOptions(context, "POST"));
  const output = response.headers.get("x-amzn-sagemaker-outputlocation");
  const failure = response.headers.get("x-amzn-sagemaker-failurelocation");
  if (!parseS3Uri(output)) throw new ProviderError("outcome_unknown", "unknown");
  const id =
    isRecord(answer) && typeof answer.InferenceId === "string"
      ? answer.InferenceId
      : context.clientToken;
  const writesUntil = String(context.clock.now() + longestMs);
  return {
    id,
    urls: {
      input: toS3Uri(input),
      output: output!,
      ...(failure && { failure }),
      template,
      writesUntil,
    },
  };
}

/** For the bucket: messages redact the key, and the fetch signs each call itself. */
const asItIs = (unsigned: CallContext, { context }: SignedIn): CallContext => ({
  ...unsigned,
  connection: context.connection,
});

type StoredObject = { place: S3Place; response: Response };

/**
 * Opens an object in the bucket; "absent" or "denied" otherwise. S3 answers 403 for a missing
 * object when the key may read objects but not list them.
 */
async function open(
  uri: string | undefined,
  unsigned: CallContext,
  init: RequestInit = {},
): Promise<StoredObject | "absent" | "denied"> {
  const place = parseS3Uri(uri);
  if (!place) return "absent";
  const signedIn = await signInToSageMaker(unsigned);
  const response = await callS3(place, signedIn, asItIs(unsigned, signedIn), {
    ...init,
    signal: unsigned.signal,
  });
  if (response.ok) return { place, response };
  if (response.status === 403 && (init.method === "HEAD" || (await isAccessDenied(response))))
    return "denied";
  await response.body?.cancel();
  if (isHtml(response))
    throw new ProviderError("provider_protocol", "yes", {
      message: sentences.cloud.bucketWebPage,
    });
  if (response.status === 404) return "absent";
  throw refusal(place, response.status);
}

/**
 * A wrong key has other codes
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html).
 */
const isAccessDenied = async (response: Response): Promise<boolean> =>
  /<Code>AccessDenied<\/Code>/.test(await readText(response, failureBytes).catch(() => ""));

async function status({ urls }: JobHandle, context: CallContext): Promise<JobStatus> {
  const output = await open(urls.output, context, { method: "HEAD" });
  if (typeof output === "object") return { state: "done" };
  const failure = await open(urls.failure, context, { method: "HEAD" });
  if (typeof failure === "object") return { state: "done" };
  // A HEAD doesn't tell whether the object or the key is refused.
  if (output === "denied") await open(urls.output, context, { headers: { range: "bytes=0-0" } });
  if (context.clock.now() > Number(urls.writesUntil)) {
    const message = sentences.cloud.asyncResultLate;
    throw new ProviderError("output_unavailable", "yes", { overdue: true, message });
  }
  return { state: "running" };
}

async function result(handle: JobHandle, context: CallContext): Promise<JobResult> {
  try {
    const made = await readResult(handle, context);
    await removeInput(handle, context);
    return made;
  } catch (error) {
    if (error instanceof ProviderError && error.detail.final === true)
      await removeInput(handle, context);
    throw error;
  }
}

/**
 * Deletes the input of a finished job. If the key may not delete, the input stays; the result
 * doesn't wait for this.
 */
async function removeInput({ urls }: JobHandle, context: CallContext): Promise<void> {
  const place = parseS3Uri(urls.input);
  if (!place) return;
  try {
    const signedIn = await signInToSageMaker(context);
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(removalMs)]);
    const response = await callS3(place, signedIn, asItIs(context, signedIn), {
      method: "DELETE",
      signal,
    });
    await response.body?.cancel();
  } catch {
    context.signal.throwIfAborted();
  }
}

async function readResult({ urls }: JobHandle, context: CallContext): Promise<JobResult> {
  const answer = await open(urls.output, context);
  if (typeof answer === "string") throw await failureOf(urls, answer, context);
  const { response } = answer;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > answerBytes)
      throw new ProviderError("output_unavailable", "yes", {
        message: sentences.cloud.bucketResultTooLarge,
      });
    chunks.push(chunk);
  }
  const whole = Buffer.concat(chunks);
  const mime = response.headers.get("content-type") ?? "application/json";
  if (urls.template !== "images") return { ...toResult(whole, mime), usage: {} };
  try {
    const files: ProducedFile[] = [];
    for await (const part of readPictures(parse(whole), { warn: () => {} }))
      if (part.type === "file") files.push(part.output);
    return { files, result: {}, usage: { units: { images: String(files.length) } } };
  } catch (error) {
    // An object read completely from the bucket won't change, however often it is read.
    if (!(error instanceof ProviderError) || !response.headers.has("etag") || whole.length === 0)
      throw error;
    const result = {
      note: sentences.cloud.otherThanPictures,
    };
    return {
      files: [{ name: "answer", mime: mime.split(";", 1)[0]!, bytes: whole }],
      result,
      usage: {},
    };
  }
}

/** Reads the container's error from its file. The job is over. */
async function failureOf(
  { output, failure }: JobHandle["urls"],
  why: "absent" | "denied",
  context: CallContext,
): Promise<ProviderError> {
  const failed = await open(failure, context);
  const place = parseS3Uri(output);
  if (typeof failed === "string") {
    if (place && (why === "denied" || failed === "denied")) return refusal(place, 403);
    // One of the two objects existed when the job was last polled.
    const message = sentences.cloud.asyncResultMissing;
    return new ProviderError("provider_protocol", "yes", { message });
  }
  const bodyText = await readText(failed.response, failureBytes).catch(() => "");
  const errorMessage = redact(bodyText.trim(), context.connection.secret).slice(0, 500);
  const message = errorMessage
    ? `The endpoint failed. It says: ${errorMessage}`
    : sentences.cloud.endpointFailed;
  return new ProviderError(codeOfFailure(errorMessage), "yes", {
    final: true,
    message,
    ...(errorMessage && { providerMessage: errorMessage }),
  });
}

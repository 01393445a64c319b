import { randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import type { JsonObject } from "#contract/json.ts";
import { type RunPrice, secondsOfRecordings } from "#domain/money/prices.ts";
import { untilReached } from "./again.ts";
import { type ApiClient, createApiClient, type FoundModel } from "./api-client.ts";
import { ask } from "./ask.ts";
import { make } from "./make.ts";
import { dropPending, keepPending, type Pending, readPending } from "./pending.ts";
import { formatPrice, priceOfRuns } from "./price.ts";
import { CannotAsk, RunFailed, Unreachable } from "./problems.ts";
import { type RunArguments, readRunArguments } from "./run-arguments.ts";
import type { RunSurroundings } from "./surroundings.ts";
import { createUploads, readGiven, type Uploads } from "./uploads.ts";

const usualUrl = "http://127.0.0.1:4620";

/**
 * `bottega run <connection/model>`: a run over the API, followed to its end, with its files saved.
 * @returns the process's exit code: 0 succeeded, 1 failed, 2 couldn't be sent
 */
export async function runModel(args: string[], surroundings: RunSurroundings): Promise<number> {
  const { env, tell, fetch, servedFrom } = surroundings;
  try {
    const given = readRunArguments(args);
    // The variable's first name, which scripts still use.
    const key = env.BOTTEGA_API_KEY || env.BOTTEGA_KEY;
    if (!key) throw new CannotAsk("Set BOTTEGA_API_KEY to an API key from Settings, API keys.");
    if ("resume" in given) {
      const pending = await readPending(env, given.resume);
      const api = createApiClient(pending.url, key, fetch);
      const { user, projects } = await untilReached(api.me, surroundings.waitsMs);
      if (user.id !== pending.userId || projects[0]?.id !== pending.projectId)
        throw new CannotAsk(
          "This command was started with the key of another person or project. Use that key, so that you don't pay twice.",
        );
      return await finish(api, pending, { ...surroundings, isResumed: true });
    }
    const url = env.BOTTEGA_URL || servedFrom || usualUrl;
    const api = createApiClient(url, key, fetch);
    const wanted = { ...given, ...(given.prompt === "-" && { prompt: await text(process.stdin) }) };
    const model = await api.model(given.model);
    const { user, projects } = await api.me();
    const [project] = projects;
    if (!project) throw new CannotAsk("The project of this key no longer exists.");
    const prepare = model.tasks.includes("chat") ? prepareAnswer : prepareFiles;
    const uploads = createUploads(api, project.id, given.files);
    const request = async (): Promise<Pick<Pending, "kind" | "body">> => {
      const prepared = await prepare(api, wanted, model, { projectId: project.id, uploads });
      const { kind, price, without = "" } = prepared;
      await approve(`${model.id}: ${formatPrice(price)}${without}`, price, given, surroundings);
      return { kind, body: await prepared.body() };
    };
    const pending = {
      ...(await request().catch(async (error: unknown) => {
        const stays = () => tell("The uploaded files are still in the library.");
        await uploads.moveToTrash().catch(stays);
        throw error;
      })),
      url,
      key: randomUUID(),
      userId: user.id,
      projectId: project.id,
      folder: given.folder,
      json: given.json,
    };
    if (!(await keepPending(env, pending)))
      tell("This command can't be resumed: its home folder can't be written to.");
    return await finish(api, pending, surroundings);
  } catch (error) {
    if (error instanceof CannotAsk || error instanceof Unreachable || error instanceof RunFailed) {
      tell(error.message);
      return error instanceof RunFailed ? 1 : 2;
    }
    throw error;
  }
}

/** @throws CannotAsk for a price that isn't approved */
async function approve(
  words: string,
  { mostMicros }: RunPrice,
  { isApproved }: RunArguments,
  { tell, confirm }: RunSurroundings,
): Promise<void> {
  tell(words);
  if (isApproved || mostMicros === 0) return;
  if (!confirm) throw new CannotAsk("Add --yes to spend this without a question.");
  if (!(await confirm("Spend this? [y/N] "))) throw new CannotAsk("Nothing was spent.");
}

/**
 * Sends a request, for the first time or again, and stores it on disk until its result is saved.
 */
async function finish(
  api: ApiClient,
  pending: Pending,
  surroundings: RunSurroundings & { isResumed?: boolean },
): Promise<number> {
  const { env, tell, isResumed = false } = surroundings;
  const further = `To continue without paying twice: bottega run --resume ${pending.key}`;
  const stop = () => {
    tell(`\nThe run continues on the server. ${further}`);
    process.exit(130);
  };
  process.once("SIGINT", stop);
  const write = (piece: string): void => void process.stdout.write(piece);
  const work = pending.kind === "answer" ? ask : make;
  try {
    const code = await work(api, pending, { ...surroundings, write });
    await dropPending(env, pending);
    return code;
  } catch (error) {
    // A refusal of the first attempt is final: nothing was started, or the server reports how it
    // ended.
    const isRefusal =
      error instanceof CannotAsk || (error instanceof RunFailed && pending.kind === "answer");
    const isFinal = isRefusal && !isResumed;
    if (isFinal) {
      await dropPending(env, pending);
      throw error;
    }
    tell(error instanceof Error ? error.message : String(error));
    tell(further);
    return 1;
  } finally {
    process.removeListener("SIGINT", stop);
  }
}

/**
 * `body` is sent once its price is approved. `without` describes what the price doesn't include.
 */
type Prepared = Pick<Pending, "kind"> & {
  price: RunPrice;
  body: () => Promise<object>;
  without?: string;
};
type Place = { projectId: string; uploads: Uploads };

async function prepareAnswer(
  api: ApiClient,
  given: RunArguments,
  model: FoundModel,
  { projectId }: Place,
): Promise<Prepared> {
  const files = await Promise.all(
    given.files.map(async ({ path, name }) => ({
      type: "file",
      file: {
        filename: name,
        file_data: `data:application/octet-stream;base64,${(await readGiven(path)).toString("base64")}`,
      },
    })),
  );
  const { prompt = "" } = given;
  const content = [...files, ...(prompt ? [{ type: "text", text: prompt }] : [])];
  if (content.length === 0)
    throw new CannotAsk('The prompt is missing. Write it after the model: "…".');
  const price = await api.estimateAnswer(projectId, {
    model: { connectionId: model.connection_id, modelId: model.model_id },
    characters: prompt.length,
    bytes: Buffer.byteLength(prompt),
  });
  const body = {
    model: given.model,
    messages: [{ role: "user", content }],
    ...given.input,
    stream: true,
  };
  const isPartial = files.length > 0 && price.mostMicros !== 0;
  return {
    kind: "answer",
    body: async () => body,
    price,
    ...(isPartial && { without: ", without the files" }),
  };
}

async function prepareFiles(
  api: ApiClient,
  { prompt, input: settings, files, variants }: RunArguments,
  model: FoundModel,
  { projectId, uploads }: Place,
): Promise<Prepared> {
  const inputWith = (assetIds: readonly string[]): JsonObject => {
    const input: Record<string, unknown> = { ...(prompt !== undefined && { prompt }), ...settings };
    for (const [index, { field }] of files.entries()) {
      const reference = `asset:${assetIds[index] ?? ""}`;
      // A field that is named twice takes a list.
      const before = input[field];
      input[field] = before === undefined ? reference : [before, reference].flat();
    }
    return input as JsonObject;
  };
  const [task] = model.tasks;
  const details = await api.modelDetails(model, projectId);
  await uploads.check();
  // A transcription's cost depends on the recording's length, which the server measures. All other
  // requests are priced before any upload.
  const heard = task === "transcription" ? await uploads.upload() : [];
  const price = priceOfRuns(
    details,
    { input: inputWith([]), variants },
    secondsOfRecordings(heard),
  );
  return {
    kind: "files",
    price,
    body: async () => ({
      projectId,
      models: [{ connectionId: model.connection_id, modelId: model.model_id }],
      task,
      input: inputWith((await uploads.upload()).map(({ id }) => id)),
      variants,
    }),
  };
}

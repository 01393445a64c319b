import { createWriteStream } from "node:fs";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { Asset, Run } from "#contract/entities.ts";
import {
  type ApiClient,
  type ApiEvent,
  CannotAsk,
  createApiClient,
  type FoundModel,
} from "./api-client.ts";
import { CommandError } from "./backup-format.ts";
import { createProgressBar, type ProgressBar } from "./progress-bar.ts";
import { type RunArguments, readRunArguments } from "./run-arguments.ts";

const usualUrl = "http://127.0.0.1:4620";

/** What a command has in place of the process: its environment, its results, and what it says beside them. */
export type Surroundings = {
  env: Readonly<Record<string, string | undefined>>;
  say: (line: string) => void;
  tell: (line: string) => void;
};

/**
 * `bottega run <connection/model>`: a run over the API, followed to its end, its files brought down.
 * @returns the process's exit code: 0 made, 1 failed, 2 could not be asked for
 */
export async function runModel(args: string[], { env, say, tell }: Surroundings): Promise<number> {
  const bar = createProgressBar(process.stderr);
  try {
    const given = readRunArguments(args);
    const key = env.BOTTEGA_KEY;
    if (!key) throw new CannotAsk("Set BOTTEGA_KEY to an API key from Settings, API keys.");
    const api = createApiClient(env.BOTTEGA_URL || usualUrl, key);
    const asked = { ...given, ...(given.prompt === "-" && { prompt: await text(process.stdin) }) };
    const model = await api.model(given.model);
    return await (model.tasks.includes("chat")
      ? ask(api, asked, say)
      : make(api, asked, model, bar, say, tell));
  } catch (error) {
    bar.clear();
    if (!(error instanceof CannotAsk || error instanceof CommandError)) throw error;
    tell(error.message);
    return error instanceof CannotAsk ? 2 : 1;
  }
}

/** An answer of a language model, written as it comes. */
async function ask(
  api: ApiClient,
  given: RunArguments,
  say: (line: string) => void,
): Promise<number> {
  const files = await Promise.all(
    given.files.map(async ({ path, name }) => ({
      name,
      base64: (await readGiven(path)).toString("base64"),
    })),
  );
  const content = [
    ...files.map(({ name, base64 }) => ({
      type: "file",
      file: { filename: name, file_data: `data:application/octet-stream;base64,${base64}` },
    })),
    ...(given.prompt ? [{ type: "text", text: given.prompt }] : []),
  ];
  if (content.length === 0) throw new CannotAsk("The prompt is missing. Add --prompt “…”.");
  const body = {
    model: given.model,
    messages: [{ role: "user", content }],
    ...given.input,
    stream: true,
  };
  let answer = "";
  let last: Record<string, unknown> = {};
  for await (const { payload } of api.chat(body)) {
    if (payload.error) throw new CommandError((payload.error as { message: string }).message);
    const [choice] = payload.choices as { delta?: { content?: string } }[];
    const piece = choice?.delta?.content ?? "";
    answer += piece;
    if (!given.json) process.stdout.write(piece);
    if (payload.bottega) last = payload.bottega as Record<string, unknown>;
  }
  if (given.json)
    say(
      JSON.stringify(
        { runId: last.run_id, text: answer, costMicros: last.cost_micros, warnings: last.warnings },
        null,
        2,
      ),
    );
  else process.stdout.write("\n");
  return 0;
}

async function make(
  api: ApiClient,
  given: RunArguments,
  model: FoundModel,
  bar: ProgressBar,
  say: (line: string) => void,
  tell: (line: string) => void,
): Promise<number> {
  const [project] = (await api.me()).projects;
  if (!project) throw new CannotAsk("The project of this key no longer exists.");
  const input: Record<string, unknown> = {
    ...(given.prompt !== undefined && { prompt: given.prompt }),
    ...given.input,
  };
  for (const { field, path, name } of given.files) {
    bar.say(`Sending ${name}`);
    const reference = `asset:${(await api.upload(project.id, name, await readGiven(path))).id}`;
    // A field that is named twice takes a list.
    const before = input[field];
    input[field] = before === undefined ? reference : [before, reference].flat();
  }
  const runs = await api.createRuns({
    projectId: project.id,
    models: [{ connectionId: model.connection_id, modelId: model.model_id }],
    task: model.tasks[0],
    input,
    variants: given.variants,
  });
  const ended = await Promise.all(runs.map((run) => follow(api, run, bar)));
  const saved: { asset: Asset; path: string }[] = [];
  await mkdir(given.folder, { recursive: true });
  for (const asset of ended.flatMap(({ assets }) => assets)) {
    const path = join(given.folder, fileName(asset));
    bar.say(`Fetching ${path}`);
    await save(api, asset, path);
    saved.push({ asset, path });
  }
  bar.clear();
  if (given.json)
    say(
      JSON.stringify(
        { runs: ended.map(({ run }) => shownRun(run)), files: saved.map(shownFile) },
        null,
        2,
      ),
    );
  else for (const { path } of saved) say(path);
  const failed = ended.map(({ run }) => run).filter(({ state }) => state !== "succeeded");
  for (const run of failed)
    tell(
      `Run ${run.id} is ${run.state}. ${run.error ? `${run.error.message} ${run.error.advice}` : ""}`.trim(),
    );
  return failed.length > 0 ? 1 : 0;
}

const shownRun = ({ id, state, costMicros, error, warnings }: Run) => ({
  id,
  state,
  costMicros,
  error,
  warnings,
});
const shownFile = ({ asset, path }: { asset: Asset; path: string }) => ({
  path,
  assetId: asset.id,
  mime: asset.mime,
  bytes: asset.bytes,
});

async function readGiven(path: string): Promise<Buffer> {
  return readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw new CannotAsk(`${path} can't be read (${cause.code}).`, { cause });
  });
}

/** To its end, through as many streams as it takes: a line that breaks ends no run. */
async function follow(
  api: ApiClient,
  run: Run,
  bar: ProgressBar,
): Promise<{ run: Run; assets: Asset[] }> {
  for (;;) {
    for await (const event of api.follow(run.id, 0)) tellOf(event, bar);
    const now = await api.run(run.id);
    if (["succeeded", "failed", "cancelled", "unconfirmed"].includes(now.run.state)) return now;
    if (now.run.waitingFor !== null)
      throw new CommandError(`Run ${run.id} needs approval: it exceeds a budget.`);
  }
}

function tellOf({ type, payload }: ApiEvent, bar: ProgressBar): void {
  if (type === "progress")
    bar.show(
      (payload.done as number) / (payload.total as number),
      (payload.label as string | undefined) ?? "",
    );
  else if (type === "queue-place") bar.say(`Number ${payload.place} in the queue`);
  else if (type === "run-started") bar.say("Sent");
  else if (type === "run-running") bar.say("Making it");
  else if (type === "run-storing") bar.say("Keeping what came");
}

/** A name that no other file of the run has. */
function fileName({ id, title, mime }: Asset): string {
  const extension = (mime.split("/")[1] ?? "bin")
    .replace("jpeg", "jpg")
    .replace("svg+xml", "svg")
    .replace("plain", "txt")
    .replace(/^x-/, "");
  const words = title
    .normalize("NFKD")
    .replace(/[^\w-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
  return `${words || "bottega"}-${id.slice(-8)}.${extension}`;
}

/** Whole or not at all: what is cut off leaves no file that looks finished. */
async function save(api: ApiClient, { id, bytes }: Asset, path: string): Promise<void> {
  const partial = `${path}.part`;
  try {
    const { body } = await api.file(id);
    let came = 0;
    const count = async function* (source: AsyncIterable<Uint8Array>) {
      for await (const chunk of source) {
        came += chunk.length;
        yield chunk;
      }
    };
    await pipeline(Readable.fromWeb(body as never), count, createWriteStream(partial));
    if (came !== bytes)
      throw new CommandError(
        `${path} ended after ${came} of ${bytes} bytes. The whole file is in the library.`,
      );
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

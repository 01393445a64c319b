import type { Asset, Run } from "#contract/entities.ts";
import { untilReached } from "./again.ts";
import type { ApiClient, ApiEvent } from "./api-client.ts";
import type { Pending } from "./pending.ts";
import { CannotAsk, RunFailed } from "./problems.ts";
import { createProgressBar, type ProgressBar } from "./progress-bar.ts";
import { type SavedFile, saveFile } from "./save-files.ts";
import type { RunSurroundings } from "./surroundings.ts";

/** Everything except answers: follows a request's runs to their end, and saves their files. */
export async function make(
  api: ApiClient,
  { body, key, folder, json }: Pending,
  { say, tell, waitsMs }: RunSurroundings,
): Promise<number> {
  const bar = createProgressBar(process.stderr);
  let hasBegun = false;
  try {
    const runs = await untilReached(
      () => api.createRuns({ ...body, idempotencyKey: key }),
      waitsMs,
    );
    hasBegun = true;
    const ended = await Promise.all(runs.map((run) => follow(api, run, bar, waitsMs)));
    const saved: SavedFile[] = [];
    for (const { run, assets } of ended)
      for (const asset of assets) {
        bar.say(`Downloading ${asset.title || asset.id}`);
        saved.push(await saveFile(api, { asset, run, folder }, waitsMs));
      }
    bar.clear();
    if (json) {
      const shown = { runs: ended.map(({ run }) => shownRun(run)), files: saved.map(shownFile) };
      say(JSON.stringify(shown, null, 2));
    } else for (const { path } of saved) say(path);
    const failed = ended.map(({ run }) => run).filter(({ state }) => state !== "succeeded");
    for (const run of failed)
      tell(
        `Run ${run.id} is ${run.state}. ${run.error ? `${run.error.message} ${run.error.advice}` : ""}`.trim(),
      );
    return failed.length > 0 ? 1 : 0;
  } catch (error) {
    // The key expired meanwhile, or a file was deleted, but its runs have started.
    throw hasBegun && error instanceof CannotAsk
      ? new RunFailed(error.message, { cause: error })
      : error;
  } finally {
    bar.clear();
  }
}

const shownRun = ({ id, state, costMicros, error, warnings }: Run) => ({
  id,
  state,
  costMicros,
  error,
  warnings,
});
const shownFile = ({ asset, path, recipe }: SavedFile) => ({
  path,
  recipe,
  assetId: asset.id,
  mime: asset.mime,
  bytes: asset.bytes,
});

/**
 * Follows a run to its end, through any number of streams; a broken connection doesn't end the run.
 */
async function follow(
  api: ApiClient,
  run: Run,
  bar: ProgressBar,
  waitsMs: readonly number[] | undefined,
): Promise<{ run: Run; assets: Asset[] }> {
  for (;;) {
    const now = await untilReached(async () => {
      for await (const event of api.follow(run.id, 0)) tellOf(event, bar);
      return api.run(run.id);
    }, waitsMs);
    if (["succeeded", "failed", "cancelled", "unconfirmed"].includes(now.run.state)) return now;
    if (now.run.waitingFor !== null)
      throw new RunFailed(`Run ${run.id} needs approval: it exceeds a budget.`);
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
  else if (type === "run-running") bar.say("Running");
  else if (type === "run-storing") bar.say("Saving results");
}

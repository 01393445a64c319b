import { setTimeout as sleep } from "node:timers/promises";
import type { Asset, Message, Run } from "#contract/entities.ts";
import { type Api, builtinConnection, startStudio } from "../support/browser/studio-in-browser.ts";

/** Pictures by prompt; the built-in models draw the same ones from the same seeds. */
const batches: readonly { prompt: string; shape: string; seed: number; count: number }[] = [
  {
    prompt: "autumn forest in the valley, rust and amber",
    shape: "landscape_4_3",
    seed: 3,
    count: 2,
  },
  {
    prompt: "tall ferns, pressed flowers, jade and mint",
    shape: "portrait_4_3",
    seed: 5,
    count: 3,
  },
  { prompt: "wind over a field of wheat, summer gold", shape: "landscape_16_9", seed: 2, count: 2 },
  { prompt: "paper cutouts of coral, rose and blush", shape: "square_hd", seed: 7, count: 3 },
  { prompt: "winter sea, glacier blue, one sail", shape: "landscape_4_3", seed: 4, count: 2 },
  { prompt: "old town arcade at midnight", shape: "portrait_4_3", seed: 6, count: 2 },
  { prompt: "dunes and canyon, terracotta", shape: "landscape_16_9", seed: 1, count: 2 },
  { prompt: "violet smoke, slow currents", shape: "square_hd", seed: 10, count: 2 },
  { prompt: "a lighthouse coast in ocean blue", shape: "landscape_4_3", seed: 17, count: 3 },
  { prompt: "olive branches in a vase", shape: "portrait_4_3", seed: 19, count: 2 },
  { prompt: "stone arches and a harbor at dusk", shape: "landscape_4_3", seed: 20, count: 4 },
  { prompt: "quiet hills at dusk, a few clouds", shape: "landscape_4_3", seed: 23, count: 4 },
];
/** The last one is shown. */
const questions = [
  "How do I add a provider?",
  "Which models work without a key?",
  "What does the library keep of each picture?",
  "What happens at the limit of a budget?",
  "What is a run?",
];

async function runEnded(api: Api, runId: string): Promise<Run> {
  for (;;) {
    const { run } = await api.get<{ run: Run }>(`/runs/${runId}`);
    if (run.state === "succeeded") return run;
    if (run.finishedAt) throw new Error(`run ${runId} ended as ${run.state}`);
    await sleep(100);
  }
}

/** A studio with a library, a feed and conversations, made only with the built-in models. */
export async function openStudio(dataFolder: string) {
  const studio = await startStudio({ dataFolder });
  const { api } = studio;
  const { projectId } = api;
  const connectionId = await builtinConnection(api);

  for (const { prompt, shape, seed, count } of batches) {
    const { runs } = await api.send<{ runs: Run[] }>("POST", "/runs", {
      projectId,
      models: [{ connectionId, modelId: "pattern" }],
      task: "image",
      variants: count,
      input: { prompt, seed, image_size: shape },
    });
    for (const { id } of runs) await runEnded(api, id);
  }

  let conversationId = "";
  for (const text of questions) {
    const { conversation } = await api.send<{ conversation: { id: string } }>(
      "POST",
      "/conversations",
      { projectId },
    );
    conversationId = conversation.id;
    const { run } = await api.send<{ message: Message; run: Run }>(
      "POST",
      `/conversations/${conversationId}/messages`,
      { parentId: null, text, ask: { model: { connectionId, modelId: "guide" } } },
    );
    await runEnded(api, run.id);
  }
  const { assets } = await api.get<{ assets: Asset[] }>(
    `/assets?${new URLSearchParams({ projectId, limit: "100" })}`,
  );
  const keep = assets.filter((_, i) => i % 5 === 1).map(({ id }) => id);
  await api.send("POST", "/assets/update", { projectId, ids: keep, action: "keep" });
  return { studio, conversationId, assets };
}
export type Shown = Awaited<ReturnType<typeof openStudio>>;

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import OpenAI from "openai";
import { onTestFinished } from "vitest";
import type { Run } from "#contract/entities.ts";
import { connect } from "#engine/connections/connect.ts";
import { openai } from "#providers/services/openai/adapter.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { startOpenAi } from "../../simulators/openai.ts";
import type { TestDatabase } from "../databases/databases.ts";
import { placesOfSimulators } from "../databases/store-rows.ts";
import type { KeyCaller } from "../server/instance.ts";
import { createStudio, testAdapters } from "./studio.ts";

/** A Bottega on a real port with a key, and published clients of OpenAI's API connected to it. */
export async function openDoor(
  database: TestDatabase,
  options: Parameters<typeof createStudio>[1] = {},
) {
  const studio = await createStudio(database, options);
  const url = await studio.instance.listen();
  const key = await studio.instance.createKey(studio.person);
  const slugs = await studio.instance.store.db
    .selectFrom("connection")
    .select(["id", "slug"])
    .execute();
  const slugOf = (id: string): string => slugs.find((connection) => connection.id === id)!.slug;
  const openai = slugOf(studio.models.openai.connectionId);
  const clientOf = ({ token }: Pick<KeyCaller, "token">) =>
    new OpenAI({ baseURL: `${url}/v1`, apiKey: token });
  return {
    studio,
    url,
    key,
    clientOf,
    client: clientOf(key),
    /** The AI SDK's provider for OpenAI-compatible servers. */
    ai: createOpenAICompatible({
      name: "bottega",
      baseURL: `${url}/v1`,
      apiKey: key.token,
      includeUsage: true,
      supportsStructuredOutputs: true,
    }),
    names: {
      chat: `${openai}/sim-chat`,
      vision: `${openai}/owner/sim-vision`,
      image: `${openai}/sim-image`,
      speech: `${openai}/sim-speech`,
      embedding: `${openai}/sim-embedding`,
      transcription: `${openai}/sim-transcription`,
      fal: `${slugOf(studio.models.fal.connectionId)}/${studio.models.fal.modelId}`,
      ollama: `${slugOf(studio.models.ollama.connectionId)}/${studio.models.ollama.modelId}`,
      ollamaEmbedding: `${slugOf(studio.models.ollama.connectionId)}/nomic-embed-text:latest`,
    },
    /** Posts like curl. */
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      fetch(`${url}/v1${path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key.token}`,
          "content-type": "application/json",
          ...headers,
        },
        body: JSON.stringify(body),
      }),
    /** The provider's next answer calls "weather", with exactly this text as arguments. */
    answerWithCall: (args: string): void =>
      studio.openai.script({
        fault: {
          kind: "raw",
          body: [
            { choices: [{ delta: { reasoning_content: "Look first." } }] },
            {
              choices: [
                {
                  delta: {
                    tool_calls: [
                      { index: 0, id: "call_1", function: { name: "weather", arguments: args } },
                    ],
                  },
                },
              ],
            },
            { choices: [{ delta: {}, finish_reason: "tool_calls" }] },
          ]
            .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
            .join(""),
        },
      }),
    /** An answer's run, by the answer's id. */
    runOf: (id: string): Promise<OwnedRun> => studio.runOf(id.replace(/^(chatcmpl-|resp_)/, "")),
    listRuns: async (): Promise<Run[]> =>
      (
        await key.call<{ runs: Run[] }>("listRuns", {
          query: { projectId: studio.person.projectId },
        })
      ).body.runs,
    /** The requests sent to the simulated provider since `from`. */
    postsSince: (from: number) => studio.openai.posts.slice(from),
  };
}
export type Door = Awaited<ReturnType<typeof openDoor>>;

/** A door of one test, with a connection to OpenAI itself, simulated. */
export async function openDoorToOpenAi(database: TestDatabase, models?: { id: string }[]) {
  const simulator = await startOpenAi({ ...(models && { models }) });
  const own = await openDoor(database, {
    endsWithTest: true,
    instance: { adapters: [...testAdapters, openai] },
  });
  onTestFinished(() => simulator.stop());
  await connect(own.studio.instance.engine.deps, {
    kind: "openai",
    name: "Pictures",
    scope: "instance",
    userId: own.studio.person.user.id,
    values: { ...placesOfSimulators, api: simulator.url, key: simulator.key },
  });
  return { own, simulator };
}

import { expect, it, onTestFinished } from "vitest";
import { startFal } from "../../simulators/fal.ts";
import { startOpenAi } from "../../simulators/openai.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import {
  connectKind,
  makeOnServer,
  runEnds,
  setUpServer,
  uploadToServer,
} from "../../support/server/server-client.ts";
import { startServer } from "../../support/server/server-process.ts";

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

forEachDatabase((_, create) => {
  it("kill -9 while a run's files are uploaded: nothing has been paid, and the next start sends it once", async () => {
    const [openai, fal, database] = await Promise.all([startOpenAi(), startFal(), create()]);
    onTestFinished(() => Promise.all([openai.stop(), fal.stop()]).then(() => undefined));
    const start = (failpoints?: string) =>
      startServer({
        dataFolder: database.dataFolder,
        env: { ...database.env, ...(failpoints && { BOTTEGA_FAILPOINTS: failpoints }) },
      });
    let server = await start("attempt.prepare@a harbor=hang");
    onTestFinished(() => server.kill9());
    let client = await setUpServer(server);
    const openaiId = await connectKind(client, "openai", { api: openai.url, key: openai.key });
    const falId = await connectKind(client, "fal", fal.values);

    openai.documents.stall();
    const document = await uploadToServer(client, "boats.txt", Buffer.from("The dory is 5 m."));
    const begun = await client.call<{ conversation: { id: string } }>("createConversation", {
      body: { projectId: client.projectId },
    });
    const asked = await client.call<{ run: { id: string } }>("sendMessage", {
      params: { conversationId: begun.body.conversation.id },
      body: {
        parentId: null,
        text: "How long is the dory?",
        attachments: [document.id],
        ask: {
          model: { connectionId: openaiId, modelId: "gpt-5.5" },
          settings: { fileSearch: true },
        },
      },
    });
    expect(asked.status).toBe(200);
    const picture = await uploadToServer(client, "pixel.png", Buffer.from(pixel));
    const prompt = "a harbor";
    const made = await makeOnServer(
      client,
      { connectionId: falId, modelId: "sim/flux/dev/image-to-image" },
      { prompt, image_url: `asset:${picture.id}` },
    );
    await until("OpenAI indexes the document", async () =>
      openai.requests.some((line) => line.startsWith("GET /v1/vector_stores/")),
    );
    await until("the picture is about to be uploaded", async () =>
      server.output().includes("failpoint attempt.prepare@a harbor: hang"),
    );
    await server.kill9();
    expect([openai.posts.length, fal.ledger.postsOf(prompt)]).toEqual([0, 0]);

    openai.documents.resume();
    server = await start();
    client = client.at(server.url);
    for (const runId of [asked.body.run.id, made.id])
      expect(await runEnds(client, runId)).toMatchObject({
        run: { state: "succeeded", error: null },
        attempts: [{ number: 1, state: "refused" }, { number: 2 }],
      });
    expect([openai.posts.length, fal.ledger.postsOf(prompt)]).toEqual([1, 1]);
  });
});

import { expect, it, onTestFinished } from "vitest";
import { startAzure } from "../../../../test/simulators/azure.ts";
import type { Behaviour } from "../../../../test/simulators/kit/behaviour.ts";
import {
  buildContext,
  buildFile,
  buildRequest,
  collect,
} from "../../../../test/support/contracts/attempt.ts";
import type { ModelFacts, OpenConnection, RunRequest } from "../../adapter.ts";
import { azure } from "./adapter.ts";
import { readDeployments } from "./deployments.ts";

type Options = {
  connection?: Partial<OpenConnection>;
  simulator?: Parameters<typeof startAzure>[0];
  onePost?: boolean;
};

async function build({ connection, simulator: wanted, onePost = true }: Options = {}) {
  const simulator = await startAzure(wanted);
  onTestFinished(() => simulator.stop());
  const key = JSON.stringify({ key: simulator.key });
  const open = {
    kind: "azure",
    addresses: { api: simulator.url, login: simulator.url },
    options: {},
    secret: key,
    ...connection,
  };
  const { context, warnings } = buildContext({
    origin: simulator.url,
    connection: open,
    outbound: { onePost },
  });
  const ask = (request: Partial<RunRequest> = {}) =>
    collect(
      azure.answer!(
        buildRequest({ model: { id: "chat", inputSchema: null, capabilities: {} }, ...request }),
        context,
      ),
    );
  return { simulator, context, warnings, ask };
}
/** A connection that signs in as an app registration of the simulator's tenant. */
const entra = (more: object = {}): Partial<OpenConnection> => ({
  options: { signIn: "Entra ID", tenant: "11111111-aaaa", clientId: "app-1", ...more },
  secret: JSON.stringify({ clientSecret: "secret/with+signs" }),
});

async function listed(options: OpenConnection["options"]): Promise<ModelFacts[]> {
  const { context } = await build({ connection: { options } });
  const models: ModelFacts[] = [];
  for await (const page of azure.models(context)) models.push(...page);
  return models;
}

it("a key goes only in Azure's own header, to the resource's v1 API", async () => {
  const { simulator, ask } = await build();
  expect((await ask()).error).toBeNull();
  expect(simulator.posts).toMatchObject([
    { path: "/responses", headers: { "api-key": simulator.key }, body: { model: "chat" } },
  ]);
  expect(simulator.posts[0]!.headers).not.toHaveProperty("authorization");
});

it("neither key nor token goes to any address but the resource's", async () => {
  const { context, simulator } = await build();
  const headers: Headers[] = [];
  const fetch: typeof context.fetch = async (_url, init) => {
    headers.push(new Headers(init?.headers));
    return new Response("x");
  };
  for await (const _ of azure.openFile!("https://files.test/video", { ...context, fetch }));
  expect(headers.map((sent) => [sent.get("api-key"), sent.get("authorization")])).toEqual([
    [null, null],
  ]);
  expect(simulator.posts).toEqual([]);
});

it("the API version is sent if one is chosen", async () => {
  const { ask } = await build({
    simulator: { apiVersion: "preview" },
    connection: { options: { apiVersion: "preview" } },
  });
  expect((await ask()).error).toBeNull();
});

it("an app registration signs in once for many answers, at no cost", async () => {
  const { simulator, ask } = await build({ connection: entra(), onePost: false });
  for (let index = 0; index < 3; index++) expect((await ask()).error).toBeNull();
  expect(simulator.tokens()).toBe(1);
  expect(simulator.posts).toHaveLength(3);
  expect(simulator.posts[0]!.headers).not.toHaveProperty("api-key");
  const first = await build({ connection: entra() });
  expect((await first.ask()).error).toBeNull();
});

it("a token is renewed before it expires and after it is refused", async () => {
  const short = await build({ simulator: { expiresIn: 200 }, connection: entra(), onePost: false });
  await short.ask();
  await short.ask();
  expect(short.simulator.tokens()).toBe(2);
  const { simulator, ask } = await build({ connection: entra(), onePost: false });
  await ask();
  simulator.revokeTokens();
  expect((await ask()).error).toMatchObject({ code: "provider_auth", accepted: "no" });
  expect((await ask()).error).toBeNull();
  expect(simulator.tokens()).toBe(2);
});

it("a wrong secret is reported in Entra ID's words, without the secret, and nothing is sent", async () => {
  const { simulator, ask } = await build({
    connection: { ...entra(), secret: JSON.stringify({ clientSecret: "canary-of-mine" }) },
  });
  const { error } = await ask();
  expect(error).toMatchObject({ code: "provider_auth", accepted: "no" });
  expect(String((error as Error).message)).toContain("AADSTS7000215");
  expect(String((error as Error).message)).not.toContain("canary-of-mine");
  expect(simulator.posts).toEqual([]);
});

it.each([{ options: { signIn: "Entra ID" }, secret: "{}" }, { secret: null }])(
  "with incomplete sign-in details nothing is sent: %j",
  async (connection) => {
    const { simulator, ask } = await build({ connection });
    expect((await ask()).error).toMatchObject({ code: "provider_auth", accepted: "no" });
    expect(simulator.posts).toEqual([]);
  },
);

it("no service error contains a token", async () => {
  const { simulator, ask } = await build({ connection: entra() });
  simulator.script({
    fault: {
      kind: "status",
      status: 400,
      body: { error: { message: "bad token-1-eyJ0eXAi", code: "x" } },
    },
  });
  expect(String(((await ask()).error as Error).message)).not.toContain("eyJ0eXAi");
});

const filter = {
  hate: { filtered: false, severity: "safe" },
  violence: { filtered: true, severity: "high" },
};

it("a prompt refused by the filter says why", async () => {
  const { simulator, ask } = await build();
  const error = {
    message: "The response was filtered.",
    code: "content_filter",
    innererror: { content_filter_result: filter },
  };
  simulator.script({ fault: { kind: "status", status: 400, body: { error } } });
  expect((await ask()).error).toMatchObject({
    code: "provider_rejected",
    accepted: "no",
    detail: { message: expect.stringContaining("violence") },
  });
});

const events = (list: object[]): Behaviour => ({
  fault: { kind: "raw", body: list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") },
});

it("an answer stopped by the filter keeps its text and says why: Responses", async () => {
  const { simulator, ask } = await build();
  const response = { id: "r", created_at: 1, model: "m", service_tier: null };
  const filters = [{ blocked: true, source_type: "completion", content_filter_results: filter }];
  const item = { id: "msg", type: "message", role: "assistant", content: [] };
  simulator.script(
    events([
      { type: "response.created", sequence_number: 0, response },
      { type: "response.output_item.added", sequence_number: 1, output_index: 0, item },
      {
        type: "response.output_text.delta",
        sequence_number: 2,
        item_id: "msg",
        output_index: 0,
        delta: "Once",
        logprobs: [],
      },
      {
        type: "response.incomplete",
        sequence_number: 3,
        response: {
          ...response,
          incomplete_details: { reason: "content_filter" },
          usage: { input_tokens: 1, output_tokens: 1 },
          content_filters: filters,
        },
      },
    ]),
  );
  expect(await ask()).toMatchObject({
    text: "Once",
    error: {
      code: "provider_rejected",
      accepted: "yes",
      message: expect.stringContaining("violence"),
    },
    finish: undefined,
  });
});

it("an answer stopped by the filter keeps its text and says why: chat completions", async () => {
  const { simulator, ask } = await build({
    connection: { options: { chatApi: "chat completions" } },
  });
  simulator.script(
    events([
      { choices: [{ index: 0, delta: { content: "Once" }, content_filter_results: {} }] },
      {
        choices: [
          { index: 0, delta: {}, finish_reason: "content_filter", content_filter_results: filter },
        ],
      },
    ]),
  );
  expect(await ask()).toMatchObject({
    text: "Once",
    error: { code: "provider_rejected", message: expect.stringContaining("violence") },
  });
  expect(simulator.posts).toMatchObject([
    { path: "/chat/completions", body: { max_completion_tokens: 100 } },
  ]);
});

it("deployments are those that the connection names, with their models' facts and prices", async () => {
  const models = await listed({
    deployments:
      "chat = gpt-5.5, pictures=gpt-image-2, voice = tts-1, mine = new-one : embedding, gpt-4.1",
  });
  expect(models.map(({ id, tasks, pricedAs }) => [id, tasks[0], pricedAs])).toEqual([
    ["chat", "chat", "gpt-5.5"],
    ["pictures", "image", "gpt-image-2"],
    ["voice", "speech", "tts-1"],
    ["mine", "embedding", "new-one"],
    ["gpt-4.1", "chat", "gpt-4.1"],
  ]);
  expect(models[0]).toMatchObject({
    limits: { contextTokens: 1_050_000 },
    capabilities: { reasoning: true },
  });
  // OpenAI's prices don't apply at Azure.
  expect(models.flatMap(({ prices }) => prices ?? [])).toEqual([]);
});

it("without named deployments, the deployable models are listed", async () => {
  expect((await listed({})).map(({ id, tasks }) => [id, tasks[0]])).toEqual([
    ["gpt-5.5", "chat"],
    ["gpt-image-2", "image"],
    ["FLUX-9-pro", "image"],
  ]);
});

it.each(["= x", "a b", "a = b : juggling", "a, a"])(
  "deployments written as %j are refused with the reason",
  (deployments) => {
    expect(() => readDeployments({ deployments })).toThrow(
      expect.objectContaining({
        code: "invalid_input",
        detail: expect.objectContaining({ field: "options.deployments" }),
      }),
    );
  },
);

it("pictures, speech and jobs are signed like answers", async () => {
  const { simulator, context, ask } = await build({
    connection: entra({ deployments: "v = sora-2" }),
    onePost: false,
  });
  const model = (id: string, capabilities = {}) => ({ id, inputSchema: null, capabilities });
  const pictures = await ask({
    task: "image",
    model: model("p", { preview: true }),
    turns: [],
    input: { prompt: "a fox" },
  });
  expect(pictures).toMatchObject({ error: null, files: [{ name: "picture" }] });
  expect(
    (
      await ask({
        task: "speech",
        model: model("s"),
        turns: [],
        input: { input: "hi", voice: "alloy" },
      })
    ).error,
  ).toBeNull();
  const file = buildFile("a.wav", "audio/wav", "x");
  const heard = {
    task: "transcription" as const,
    model: model("t"),
    turns: [],
    input: { file: "asset:a.wav" },
    files: new Map([["a.wav", file]]),
  };
  expect((await ask(heard)).error).toBeNull();
  const handle = await azure.job!.submit(
    buildRequest({ task: "video", model: model("v"), turns: [], input: { prompt: "a fox" } }),
    context,
  );
  simulator.revokeTokens();
  await expect(azure.job!.status(handle, context)).rejects.toMatchObject({ code: "provider_auth" });
  expect(await azure.job!.status(handle, context)).toEqual({ state: "queued" });
  expect(await azure.job!.cancel(handle, context)).toBe(true);
});

import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { film } from "../../../../test/simulators/google/operations.ts";
import { buildKeyFile } from "../../../../test/simulators/google/vertex-tokens.ts";
import { startVertex } from "../../../../test/simulators/vertex.ts";
import {
  buildContext,
  buildRequest,
  collect,
  toolQuestion,
} from "../../../../test/support/contracts/attempt.ts";
import type { JobHandle, ModelFacts, OpenConnection, RunRequest } from "../../adapter.ts";
import { signIn } from "./access.ts";
import { vertex } from "./adapter.ts";

const job = vertex.job!;

async function build(changes: Partial<OpenConnection> = {}, outbound: { mostPosts?: number } = {}) {
  const simulator = await startVertex();
  onTestFinished(() => simulator.stop());
  const { origin, apiKey, tokens } = simulator;
  const connection = {
    kind: "vertex",
    addresses: { api: origin, token: `${origin}/token`, storage: origin },
    options: { location: "us-central1" },
    secret: JSON.stringify({ serviceAccount: tokens.keyFile, apiKey }),
    ...changes,
  };
  /** Each attempt has its own context, which allows one paid POST. */
  const attempt = () => buildContext({ origin, connection, outbound }).context;
  const ask = (request: Partial<RunRequest> = {}) =>
    collect(
      vertex.answer!(
        buildRequest({
          model: { id: "gemini-3.5-flash", inputSchema: null, capabilities: {} },
          ...request,
        }),
        attempt(),
      ),
    );
  const models = async () => {
    const all: ModelFacts[] = [];
    for await (const page of vertex.models(attempt())) all.push(...page);
    return all;
  };
  return { simulator, attempt, ask, models };
}
const media = (task: RunRequest["task"], id: string, input: RunRequest["input"]) => ({
  task,
  model: { id, inputSchema: null, capabilities: {} },
  input,
  turns: [],
});
const byKey = { options: { signIn: "API key" } };

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

it("one token serves all calls until shortly before it expires, and a refused one is renewed at the next call", async () => {
  const { simulator, ask } = await build();
  await ask();
  await ask();
  expect(simulator.tokens.given).toHaveLength(1);
  simulator.tokens.revoke(simulator.tokens.given[0]!);
  const { error } = await ask();
  expect(error).toMatchObject({ code: "provider_auth", accepted: "no" });
  expect((error as Error).message).not.toContain(simulator.tokens.given[0]);
  expect((await ask()).error).toBeNull();
  expect(simulator.tokens.given).toHaveLength(2);
});

it("a token about to expire isn't used for a new call", async () => {
  const { simulator, attempt } = await build();
  const context = attempt();
  let now = context.clock.now();
  const timed = { ...context, clock: { now: () => now } };
  await signIn(timed);
  now += 54 * 60_000;
  await signIn(timed);
  expect(simulator.tokens.given).toHaveLength(1);
  now += 2 * 60_000;
  await signIn(timed);
  expect(simulator.tokens.given).toHaveLength(2);
});

it.each<[string, string]>([
  ["is no JSON", "AIza-some-key"],
  ["is of another kind", buildKeyFile({ type: "authorized_user" })],
  ["lacks the account or the private key", buildKeyFile({ private_key: undefined })],
  ["address other than Google’s", buildKeyFile({ token_uri: "http://169.254.169.254/token" })],
  [
    "holds a private key that is none",
    buildKeyFile({
      private_key: "-----BEGIN PRIVATE KEY-----\nc2VjcmV0LXNlY3JldA==\n-----END PRIVATE KEY-----",
    }),
  ],
])("a key file that %s is refused, and nothing is sent", async (_what, serviceAccount) => {
  const { simulator, ask, attempt } = await build({ secret: JSON.stringify({ serviceAccount }) });
  const { error } = await ask();
  expect(error).toMatchObject({ code: "provider_auth", accepted: "no" });
  expect(String((error as Error).message)).not.toContain("c2VjcmV0");
  await expect(vertex.check(attempt())).rejects.toMatchObject({ code: "provider_auth" });
  expect(simulator.connections()).toBe(0);
});

it("an account unknown to Google is reported in Google's words", async () => {
  const { ask } = await build({
    secret: JSON.stringify({ serviceAccount: buildKeyFile({ client_email: "other@sim.example" }) }),
  });
  const { error } = await ask();
  expect(error).toMatchObject({
    code: "provider_auth",
    accepted: "no",
    message: expect.stringContaining("account not found"),
  });
});

it("an API key opens Google's own models in express mode, and no partner's", async () => {
  const { simulator, ask, models, attempt } = await build(byKey);
  expect((await ask()).error).toBeNull();
  expect(simulator.posts).toMatchObject([
    { path: "/v1/publishers/google/models/gemini-3.5-flash:streamGenerateContent" },
  ]);
  expect((await vertex.check(attempt())).message).toContain("express mode");
  expect((await models()).every(({ id }) => !id.includes("/"))).toBe(true);
  const claude = await ask({
    model: { id: "anthropic/claude-opus-5", inputSchema: null, capabilities: {} },
  });
  expect(claude.error).toMatchObject({ code: "provider_invalid_input", accepted: "no" });
  expect(simulator.tokens.given).toEqual([]);
});

it("a wrong API key is reported as such and appears in no message", async () => {
  const apiKey = "AQ.wrong-key-of-somebody";
  const { simulator, ask, attempt } = await build({ ...byKey, secret: JSON.stringify({ apiKey }) });
  const { error } = await ask();
  expect(error).toMatchObject({ code: "provider_auth", accepted: "no" });
  expect(String((error as Error).message)).not.toContain(apiKey);
  expect(simulator.posts).toMatchObject([{ state: "refused", billed: false }]);
  await expect(vertex.check(attempt())).rejects.toMatchObject({ code: "provider_auth" });
});

it("the machine's account is only for instance connections and is read only at its metadata address", async () => {
  const asked: [string, RequestInit][] = [];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    asked.push([url, init]);
    return Response.json(
      { access_token: "ya29.machine", expires_in: 3_000 },
      { headers: { "metadata-flavor": "Google" } },
    );
  });
  const options = { signIn: "machine", project: "sim-project", location: "us-central1" };
  const own = await build({ options });
  expect((await own.ask()).error).toMatchObject({ code: "provider_auth", accepted: "no" });
  expect(asked).toEqual([]);
  const shared = await build({ options, isOfInstance: true });
  // The simulator doesn't accept this token; the test checks that it was sent.
  expect((await shared.ask()).error).toMatchObject({ code: "provider_auth" });
  expect(shared.simulator.posts[0]!.headers.authorization).toBe("Bearer ya29.machine");
  expect(asked).toMatchObject([
    [
      expect.stringMatching(/^http:\/\/169\.254\.169\.254\//),
      { headers: { "metadata-flavor": "Google" }, redirect: "error" },
    ],
  ]);
});

it("the environment's credentials are never read or sent", async () => {
  const trap = "trap-of-the-environment";
  for (const name of [
    "GOOGLE_VERTEX_API_KEY",
    "GOOGLE_VERTEX_PROJECT",
    "GOOGLE_VERTEX_LOCATION",
    "GOOGLE_CLIENT_EMAIL",
    "GOOGLE_PRIVATE_KEY",
  ])
    vi.stubEnv(name, trap);
  vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere/trap.json");
  vi.stubGlobal("fetch", () => {
    throw new Error("Past the guarded fetch.");
  });
  const { simulator, ask } = await build();
  for (const id of [
    "gemini-3.5-flash",
    "anthropic/claude-opus-5",
    "meta/llama-4-scout-17b-16e-instruct-maas",
  ]) {
    expect((await ask({ model: { id, inputSchema: null, capabilities: {} } })).error).toBeNull();
  }
  expect(JSON.stringify(simulator.posts)).not.toContain(trap);
});

it.each([
  ["global", "https://aiplatform.googleapis.com"],
  ["europe-west4", "https://europe-west4-aiplatform.googleapis.com"],
  ["eu", "https://aiplatform.eu.rep.googleapis.com"],
])("the location %s is at %s", async (location, origin) => {
  const { attempt } = await build({ options: { location } });
  const context = attempt();
  const { addresses } = context.connection;
  const signed = await signIn({
    ...context,
    connection: { ...context.connection, addresses: { ...addresses, api: vertex.addresses.api! } },
  });
  expect(signed.google.connection.addresses.api).toBe(
    `${origin}/v1beta1/projects/sim-project/locations/${location}/publishers/google`,
  );
});

it("an invalid location or project is reported before anything is sent", async () => {
  const { simulator, ask } = await build({ options: { location: "evil.example/" } });
  expect((await ask()).error).toMatchObject({
    code: "provider_invalid_input",
    detail: { field: "location" },
  });
  const other = await build({ options: { location: "us-central1", project: "a/../b" } });
  expect((await other.ask()).error).toMatchObject({
    code: "provider_invalid_input",
    detail: { field: "project" },
  });
  expect([...simulator.posts, ...other.simulator.posts]).toEqual([]);
});

it("the models are those of the snapshot that the publisher still lists, and the partners'", async () => {
  const { models } = await build({
    options: { location: "us-central1", models: '[{"id": "mistralai/new-maas", "task": "chat"}]' },
  });
  const all = await models();
  const ids = all.map(({ id }) => id);
  expect(ids.filter((id) => !id.includes("/"))).toEqual([
    "gemini-3.5-flash",
    "gemini-2.5-flash",
    "gemini-2.5-flash-image",
    "imagen-4.0-generate-001",
    "veo-3.1-generate-001",
  ]);
  expect(ids).toEqual(
    expect.arrayContaining([
      "anthropic/claude-opus-5",
      "meta/llama-4-scout-17b-16e-instruct-maas",
      "mistralai/new-maas",
    ]),
  );
  expect(all.find(({ id }) => id.startsWith("veo"))!.inputSchema!.properties).toHaveProperty(
    "seed",
  );
  expect(all.find(({ id }) => id === "gemini-3.5-flash")).toMatchObject({
    tasks: ["chat"],
    capabilities: { reasoning: true },
  });
});

it("an open model answers over the OpenAI-compatible endpoint", async () => {
  const { simulator, ask } = await build();
  const answer = await ask({
    model: { id: "meta/llama-4-scout-17b-16e-instruct-maas", inputSchema: null, capabilities: {} },
  });
  expect(answer).toMatchObject({
    error: null,
    text: "You said: hello there",
    finish: { reason: "stop" },
  });
  expect(simulator.posts).toMatchObject([
    { body: { model: "meta/llama-4-scout-17b-16e-instruct-maas" } },
  ]);
});

it("pictures, speech and vectors work as at the Gemini API", async () => {
  const { ask } = await build();
  const imagen = media("image", "imagen-4.0-generate-001", { prompt: "a fox", sampleCount: 2 });
  const answers = [
    await ask({
      ...imagen,
      model: { ...imagen.model, capabilities: { countField: { name: "sampleCount", most: 4 } } },
    }),
    await ask(media("image", "gemini-2.5-flash-image", { prompt: "a fox" })),
    await ask(media("speech", "gemini-2.5-flash-tts", { text: "Hello." })),
    await ask(media("embedding", "gemini-embedding-001", { input: "fox", dimensions: 3 })),
  ];
  expect(answers.map(({ error }) => error)).toEqual([null, null, null, null]);
  expect(answers.map(({ files }) => files.map(({ name }) => name))).toEqual([
    ["picture-1", "picture-2"],
    ["picture-1"],
    ["speech"],
    ["embedding.json"],
  ]);
});

it.each([
  ["text-embedding-005", 1],
  ["gemini-embedding-001", 12],
])("%s gives the vectors of 12 texts in order, in %i requests of one run", async (id, requests) => {
  const { simulator, ask } = await build({}, { mostPosts: requests });
  const input = Array.from({ length: 12 }, (_, i) => "x".repeat(i + 1));
  const answer = await ask(media("embedding", id, { input, dimensions: 3 }));
  expect(answer).toMatchObject({ error: null, finish: { usage: { inputTokens: 24 } } });
  const { embeddings } = JSON.parse(answer.files[0]!.bytes!.toString()) as { embeddings: string[] };
  expect(embeddings.map((vector) => Buffer.from(vector, "base64").readFloatLE(0) * 16)).toEqual(
    input.map(({ length }) => length),
  );
  expect(simulator.posts).toHaveLength(requests);
});

async function finish(handle: JobHandle, context: Parameters<typeof job.status>[1]) {
  const states: string[] = [];
  while (states.at(-1) !== "done") states.push((await job.status(handle, context)).state);
  expect(states).toEqual(["running", "done"]);
  return job.result(handle, context);
}

it("a video comes in its operation's answer, after one paid call", async () => {
  const { simulator, attempt } = await build();
  const handle = await job.submit(
    buildRequest(media("video", "veo-3.1-generate-001", { prompt: "a fox" })),
    attempt(),
  );
  expect(handle.id).toBe(
    "projects/sim-project/locations/us-central1/publishers/google/models/veo-3.1-generate-001/operations/op1",
  );
  const { files } = await finish(handle, attempt());
  expect(files).toEqual([{ name: "video", mime: "video/mp4", bytes: film }]);
  expect(simulator.posts).toHaveLength(1);
});

it("a video in a bucket is opened with the token, which no address contains", async () => {
  const { simulator, attempt } = await build({
    options: { location: "us-central1", storageUri: "gs://sim-films/op1" },
  });
  const handle = await job.submit(
    buildRequest(media("video", "veo-3.1-fast-generate-001", { prompt: "a fox" })),
    attempt(),
  );
  expect(simulator.posts).toMatchObject([
    { body: { parameters: { storageUri: "gs://sim-films/op1" } } },
  ]);
  const { files } = await finish(handle, attempt());
  const url = `${simulator.origin}/storage/v1/b/sim-films/o/op1%2Ffilm.mp4?alt=media`;
  expect(files).toEqual([{ name: "video", mime: "video/mp4", url, needsKey: true }]);
  const chunks: Uint8Array[] = [];
  for await (const chunk of vertex.openFile!(url, attempt())) chunks.push(chunk);
  expect(Buffer.concat(chunks)).toEqual(film);
});

it("a missing operation is reported as lost, and an invalid operation name names none", async () => {
  const { attempt } = await build();
  const name =
    "projects/sim-project/locations/us-central1/publishers/google/models/veo-3.1-generate-001/operations/nowhere";
  await expect(job.status({ id: name, urls: {} }, attempt())).rejects.toMatchObject({
    code: "output_unavailable",
    detail: { gone: true },
  });
  expect(job.handleOf!(name, "", attempt())).toEqual({ id: name, urls: {} });
  expect(job.handleOf!("operations/1", "", attempt())).toBeUndefined();
});

it("Claude has the listed price only at the global endpoint, because a region costs more", async () => {
  const claudeIn = async (location: string) => {
    const { models } = await build({ options: { location } });
    return (await models()).filter(({ id }) => id.startsWith("anthropic/"));
  };
  const [regional, global] = [await claudeIn("us-central1"), await claudeIn("global")];
  expect(regional.length).toBeGreaterThan(0);
  expect(new Set(regional.map(({ pricedAs }) => pricedAs))).toEqual(new Set([null]));
  for (const { id, pricedAs } of global) expect(id).toBe(`anthropic/${pricedAs}`);
});

it("Gemini's and Claude's tokens are counted free of charge, including tools and results; open models have no count", async () => {
  const { simulator, attempt } = await build({}, { mostPosts: 0 });
  const count = (id: string) => vertex.countTokens!(id, toolQuestion, attempt());
  expect(await count("gemini-3.5-flash")).toBeLessThan(2_000_000);
  expect(await count("gemini-3.5-flash")).toBeGreaterThan(1_000_000);
  expect(await count("anthropic/claude-sonnet-4-5")).toBeGreaterThan(2_000_000);
  expect(await count("meta/llama-4")).toBeNull();
  expect(simulator.posts).toEqual([]);
});

it("an API key, which opens no partners, has only Gemini's count", async () => {
  const { attempt } = await build({ ...byKey });
  const count = (id: string) => vertex.countTokens!(id, toolQuestion, attempt());
  expect(await count("gemini-3.5-flash")).toBeGreaterThan(1_000_000);
  expect(await count("anthropic/claude-sonnet-4-5")).toBeNull();
});

it("a program's penalties reach Gemini 2 and open models; Claude and later Gemini lack them", async () => {
  const { simulator, ask } = await build();
  const passed = { frequency_penalty: 0.5, presence_penalty: -1 };
  expect((await ask({ passed })).error).toBeNull();
  expect(simulator.posts[0]!.body).toMatchObject({
    generationConfig: { frequencyPenalty: 0.5, presencePenalty: -1 },
  });
  for (const name of Object.keys(passed))
    expect(
      ["gemini-2.5-flash", "gemini-3.5-flash", "meta/llama-4", "anthropic/claude-opus-5"].filter(
        (id) => vertex.lacksParameter!(id, name),
      ),
    ).toEqual(["gemini-3.5-flash", "anthropic/claude-opus-5"]);
});

it("Claude's answer names the stop sequence that ended it", async () => {
  const { simulator, ask } = await build();
  simulator.script({ text: ["Yes"], finishReason: "stop_sequence" });
  const answer = await ask({
    model: { id: "anthropic/claude-opus-5", inputSchema: null, capabilities: {} },
    input: { stop: ["END", "FIN"] },
  });
  expect(answer).toMatchObject({
    error: null,
    finish: { reason: "stop", result: { stopSequence: "END" } },
  });
});

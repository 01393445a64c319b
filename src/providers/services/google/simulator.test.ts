import { expect, it, onTestFinished } from "vitest";
import { pixel } from "../../../../test/simulators/google/content.ts";
import { signature } from "../../../../test/simulators/google/strict.ts";
import { startGoogle } from "../../../../test/simulators/google.ts";

/**
 * Checks the Gemini simulator without any client of ours: it accepts the requests that the API
 * reference shows, and refuses those that the reference forbids.
 */
async function start() {
  const simulator = await startGoogle();
  onTestFinished(() => simulator.stop());
  const post = (
    path: string,
    body: unknown,
    headers: Record<string, string> = { "x-goog-api-key": simulator.key },
  ) =>
    fetch(`${simulator.url}/models/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  return { simulator, post };
}

const say = (role: string, ...parts: object[]) => ({ role, parts });
const question = say("user", { text: "Is it warm in Rome?" });
const call = {
  functionCall: { id: "1", name: "weather", args: { place: "Rome" } },
  thoughtSignature: signature,
};
const answered = say("user", {
  functionResponse: { id: "1", name: "weather", response: { celsius: 31 } },
});
const declared = {
  tools: [
    {
      functionDeclarations: [
        { name: "weather", description: "Of a place.", parametersJsonSchema: { type: "object" } },
      ],
    },
  ],
  toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["weather"] } },
};
const stream = (model: string) => `${model}:streamGenerateContent?alt=sse`;

it.each<[string, string, object]>([
  ["words alone", stream("gemini-3.5-flash"), { contents: [{ parts: [{ text: "Hello." }] }] }],
  [
    "a whole configuration",
    stream("gemini-3.5-flash"),
    {
      systemInstruction: { parts: [{ text: "You are a cat." }] },
      contents: [question],
      generationConfig: {
        stopSequences: ["Title"],
        temperature: 1,
        maxOutputTokens: 800,
        topP: 0.8,
        topK: 10,
        thinkingConfig: { thinkingLevel: "low" },
      },
      safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_ONLY_HIGH" }],
    },
  ],
  [
    "a picture",
    stream("gemini-3.5-flash"),
    {
      contents: [
        say(
          "user",
          { inlineData: { mimeType: "image/png", data: pixel } },
          { text: "What is it?" },
        ),
      ],
    },
  ],
  [
    "a tool's turn and its answer",
    stream("gemini-3.5-flash"),
    { contents: [question, say("model", call), answered], ...declared },
  ],
  ["a search", stream("gemini-2.5-flash"), { contents: [question], tools: [{ googleSearch: {} }] }],
  [
    "an answer of a shape",
    stream("gemini-2.5-flash"),
    {
      contents: [question],
      generationConfig: {
        responseMimeType: "application/json",
        responseJsonSchema: { type: "array" },
      },
    },
  ],
  [
    "Imagen",
    "imagen-4.0-generate-001:predict",
    { instances: [{ prompt: "A robot" }], parameters: { sampleCount: 4 } },
  ],
  [
    "Veo from a picture",
    "veo-3.1-generate-preview:predictLongRunning",
    {
      instances: [
        { prompt: "It moves", image: { bytesBase64Encoded: pixel, mimeType: "image/png" } },
      ],
      parameters: { aspectRatio: "16:9", negativePrompt: "cartoon", durationSeconds: 8 },
    },
  ],
  [
    "an embedding",
    "gemini-embedding-001:embedContent",
    { model: "models/gemini-embedding-001", content: { parts: [{ text: "Life" }] } },
  ],
])("a request from the reference is accepted: %s", async (_what, path, body) => {
  const { post } = await start();
  const response = await post(path, body);
  expect(await response.text()).not.toContain('"error"');
  expect(response.status).toBe(200);
});

it.each<[string, string, object, string]>([
  [
    "a field that is not known",
    stream("gemini-3.5-flash"),
    { contents: [question], model: "gemini-3.5-flash" },
    "Unrecognized key",
  ],
  [
    "a call without an answer",
    stream("gemini-3.5-flash"),
    { contents: [question, say("model", call)], ...declared },
    "number of function response parts",
  ],
  [
    "a call whose signature was lost",
    stream("gemini-3.5-flash"),
    {
      contents: [question, say("model", { functionCall: call.functionCall }), answered],
      ...declared,
    },
    "missing a thought_signature",
  ],
  [
    "a level of a model that has a budget",
    stream("gemini-2.5-flash"),
    { contents: [question], generationConfig: { thinkingConfig: { thinkingLevel: "low" } } },
    "not supported",
  ],
  [
    "a budget and a level",
    stream("gemini-3.5-flash"),
    {
      contents: [question],
      generationConfig: { thinkingConfig: { thinkingLevel: "low", thinkingBudget: 1 } },
    },
    "only one",
  ],
  [
    "a length as text",
    "veo-3.1-generate-preview:predictLongRunning",
    { instances: [{ prompt: "A fox" }], parameters: { durationSeconds: "8" } },
    "durationSeconds",
  ],
  ["a model that is not there", stream("gemini-0"), { contents: [question] }, "is not found"],
])("a request that the reference forbids is refused: %s", async (_what, path, body, said) => {
  const { simulator, post } = await start();
  const response = await post(path, body);
  expect(response.ok).toBe(false);
  expect(await response.text()).toContain(said);
  expect(simulator.posts).toMatchObject([{ state: "refused", billed: false }]);
});

it("a key is accepted only in its header", async () => {
  const { simulator, post } = await start();
  const body = { contents: [question] };
  expect((await post(stream("gemini-3.5-flash"), body, {})).status).toBe(400);
  expect((await post(`${stream("gemini-3.5-flash")}&key=${simulator.key}`, body, {})).status).toBe(
    400,
  );
  expect((await fetch(`${simulator.url}/files/film:download?alt=media`)).status).toBe(400);
});

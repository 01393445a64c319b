import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** A published library that calls a model, runs the requested tool, and calls the model again. */
export type Library = {
  name: string;
  /** Its npm packages, which `npm run agents` installs in their newest versions. */
  packages: readonly string[];
  /** Whether `npm test` has them as well, in the versions of test/packages. */
  isInstalled: boolean;
  /** The model's tool inputs, in each answer but the last. */
  inputs: readonly object[];
  /** The library's next message to the model, and its reading of the answer. */
  sends: string;
  says: string;
  /** Asks about the weather in Genoa. */
  ask(asked: Asked & { lookUp: LookUp }): Promise<string>;
  /** Asks for a streamed answer, and returns the whole of it as the library reads it. */
  stream(asked: Asked): Promise<string>;
  /** Asks for an answer in a form, and returns it as an object. */
  structure(asked: Asked): Promise<unknown>;
  /** How it asks for that, if not with a schema. */
  asksForm?: "json_object";
  /** Embeds texts, if the library can. */
  embed?(asked: Asked, texts: string[]): Promise<number[][]>;
};
/** The tool's implementation. */
type LookUp = (input: { place: string }) => string;
export type Asked = {
  url: string;
  key: string;
  model: string;
  /** A module of an installed package. */
  // biome-ignore lint/suspicious/noExplicitAny: it is installed when the test runs, and has no types here
  load(name: string): Promise<any>;
};

const question = "How is the weather in Genoa?";
const toolLoop = {
  inputs: [{ place: "Genoa" }],
  sends: "sunny in Genoa",
  says: "You said",
};
const description = "Looks up the weather.";
const parameters = {
  type: "object",
  properties: { place: { type: "string" } },
  required: ["place"],
  additionalProperties: false,
} as const;

const answerFormat = {
  type: "json_schema",
  json_schema: { name: "weather", schema: parameters, strict: true },
} as const;

/** Imports from the folder of the installed packages, like a program in it. */
export const loadFrom =
  (folder: string): Asked["load"] =>
  async (name) => {
    const { resolve } = createRequire(join(folder, "package.json"));
    return import(pathToFileURL(resolve(name)).href);
  };

export const libraries: readonly Library[] = [
  {
    name: "LangChain.js",
    packages: ["@langchain/openai", "@langchain/core"],
    isInstalled: true,
    ...toolLoop,
    async ask({ url, key, model, lookUp, load }) {
      const { ChatOpenAI } = await load("@langchain/openai");
      const { tool } = await load("@langchain/core/tools");
      const { HumanMessage } = await load("@langchain/core/messages");
      const weather = tool(lookUp, { name: "weather", description, schema: parameters });
      const chat = new ChatOpenAI({
        model,
        apiKey: key,
        configuration: { baseURL: `${url}/v1` },
      }).bindTools([weather]);
      const messages = [new HumanMessage(question)];
      const asked = await chat.invoke(messages);
      messages.push(asked);
      for (const call of asked.tool_calls) messages.push(await weather.invoke(call));
      return String((await chat.invoke(messages)).content);
    },
    async stream({ url, key, model, load }) {
      const { ChatOpenAI } = await load("@langchain/openai");
      const chat = new ChatOpenAI({
        model,
        apiKey: key,
        configuration: { baseURL: `${url}/v1` },
      });
      let text = "";
      for await (const chunk of await chat.stream(question)) text += chunk.content;
      return text;
    },
    async structure({ url, key, model, load }) {
      const { ChatOpenAI } = await load("@langchain/openai");
      const configuration = { baseURL: `${url}/v1` };
      return new ChatOpenAI({ model, apiKey: key, configuration })
        .withStructuredOutput(parameters, { name: "weather", method: "jsonSchema" })
        .invoke(question);
    },
    async embed({ url, key, model, load }, texts) {
      const { OpenAIEmbeddings } = await load("@langchain/openai");
      const configuration = { baseURL: `${url}/v1` };
      return new OpenAIEmbeddings({ model, apiKey: key, configuration }).embedDocuments(texts);
    },
  },
  {
    // Deprecated at npm, without a license there, and with an older `openai` of its own.
    name: "LlamaIndex",
    packages: ["@llamaindex/openai", "@llamaindex/core", "@llamaindex/workflow"],
    isInstalled: false,
    ...toolLoop,
    async ask({ url, key, model, lookUp, load }) {
      const { OpenAI } = await load("@llamaindex/openai");
      const { FunctionTool } = await load("@llamaindex/core/tools");
      const { agent } = await load("@llamaindex/workflow");
      const weather = FunctionTool.from(lookUp, { name: "weather", description, parameters });
      const llm = new OpenAI({
        model,
        apiKey: key,
        baseURL: `${url}/v1`,
        supportToolCall: true,
      });
      const answer = await agent({ llm, tools: [weather] }).run(question);
      return String(answer.data.result);
    },
    async stream({ url, key, model, load }) {
      const { OpenAI } = await load("@llamaindex/openai");
      const llm = new OpenAI({ model, apiKey: key, baseURL: `${url}/v1` });
      const messages = [{ role: "user", content: question }];
      let text = "";
      for await (const { delta } of await llm.chat({ messages, stream: true })) text += delta;
      return text;
    },
    async structure({ url, key, model, load }) {
      const { OpenAI } = await load("@llamaindex/openai");
      const llm = new OpenAI({ model, apiKey: key, baseURL: `${url}/v1` });
      const { message } = await llm.chat({
        messages: [{ role: "user", content: question }],
        responseFormat: answerFormat,
      });
      return JSON.parse(String(message.content));
    },
    async embed({ url, key, model, load }, texts) {
      const { OpenAIEmbedding } = await load("@llamaindex/openai");
      const embedding = new OpenAIEmbedding({ model, apiKey: key, baseURL: `${url}/v1` });
      return embedding.getTextEmbeddings(texts);
    },
  },
  {
    // It needs version 3 as `zod`: it doesn't recognize the errors of version 4. In its loop, values
    // that don't fit the schema are returned with the reason.
    name: "Instructor",
    packages: ["@instructor-ai/instructor", "openai", "zod@3"],
    isInstalled: false,
    inputs: [{ town: "Genoa" }, { place: "Genoa" }],
    sends: "Required",
    asksForm: "json_object",
    says: "sunny in Genoa",
    async ask({ url, key, model, lookUp, load }) {
      const { default: Instructor } = await load("@instructor-ai/instructor");
      const { default: OpenAI } = await load("openai");
      const { z } = await load("zod");
      const client = Instructor({
        client: new OpenAI({ baseURL: `${url}/v1`, apiKey: key }),
        mode: "TOOLS",
      });
      const found = await client.chat.completions.create({
        model,
        messages: [{ role: "user", content: question }],
        response_model: { name: "weather", schema: z.object({ place: z.string() }) },
        max_retries: 1,
      });
      return lookUp({ place: found.place });
    },
    // A stream of this library is the object as it grows.
    async stream({ url, key, model, load }) {
      const { default: Instructor } = await load("@instructor-ai/instructor");
      const { default: OpenAI } = await load("openai");
      const { z } = await load("zod");
      const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: key });
      const parts = await Instructor({
        client: openai,
        mode: "JSON_SCHEMA",
      }).chat.completions.create({
        model,
        messages: [{ role: "user", content: question }],
        response_model: { name: "weather", schema: z.object({ place: z.string() }) },
        stream: true,
      });
      let last: { place?: string } = {};
      for await (const part of parts) last = part;
      return JSON.stringify({ place: last.place });
    },
    async structure({ url, key, model, load }) {
      const { default: Instructor } = await load("@instructor-ai/instructor");
      const { default: OpenAI } = await load("openai");
      const { z } = await load("zod");
      const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: key });
      const { place } = await Instructor({
        client: openai,
        mode: "JSON_SCHEMA",
      }).chat.completions.create({
        model,
        messages: [{ role: "user", content: question }],
        response_model: { name: "weather", schema: z.object({ place: z.string() }) },
      });
      return { place };
    },
  },
  {
    name: "OpenAI Agents (Responses)",
    packages: ["@openai/agents"],
    isInstalled: true,
    ...toolLoop,
    ask: (asked) => askAgents(asked, true),
    stream: (asked) => streamAgents(asked, true),
    structure: (asked) => structureAgents(asked, true),
  },
  {
    name: "OpenAI Agents (Chat completions)",
    packages: ["@openai/agents"],
    isInstalled: true,
    ...toolLoop,
    ask: (asked) => askAgents(asked, false),
    stream: (asked) => streamAgents(asked, false),
    structure: (asked) => structureAgents(asked, false),
  },
];

async function createRunner({ url, key, load }: Asked, useResponses: boolean) {
  const { OpenAIProvider, Runner } = await load("@openai/agents");
  const modelProvider = new OpenAIProvider({ apiKey: key, baseURL: `${url}/v1`, useResponses });
  return new Runner({ modelProvider, tracingDisabled: true });
}

async function askAgents(
  { lookUp, ...asked }: Asked & { lookUp: LookUp },
  useResponses: boolean,
): Promise<string> {
  const { Agent, tool } = await asked.load("@openai/agents");
  const weather = tool({ name: "weather", description, parameters, execute: lookUp });
  const agent = new Agent({ name: "Weather", model: asked.model, tools: [weather] });
  const runner = await createRunner(asked, useResponses);
  return String((await runner.run(agent, question)).finalOutput);
}

async function streamAgents(asked: Asked, useResponses: boolean): Promise<string> {
  const { Agent } = await asked.load("@openai/agents");
  const runner = await createRunner(asked, useResponses);
  const agent = new Agent({ name: "Weather", model: asked.model });
  const answer = await runner.run(agent, question, { stream: true });
  let text = "";
  for await (const piece of answer.toTextStream()) text += piece;
  await answer.completed;
  return text;
}

async function structureAgents(asked: Asked, useResponses: boolean): Promise<unknown> {
  const { Agent } = await asked.load("@openai/agents");
  const runner = await createRunner(asked, useResponses);
  const outputType = { type: "json_schema", name: "weather", strict: true, schema: parameters };
  const agent = new Agent({ name: "Weather", model: asked.model, outputType });
  return (await runner.run(agent, question)).finalOutput;
}

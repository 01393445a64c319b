import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** A published library that calls a model, runs the requested tool, and calls the model again. */
export type Library = {
  name: string;
  /** Its npm packages, installed in their newest versions. */
  packages: readonly string[];
  /** The model's tool inputs, in each answer but the last. */
  inputs: readonly object[];
  /** The library's next message to the model, and its reading of the answer. */
  sends: string;
  says: string;
  /** Asks about the weather in Genoa. */
  ask(asked: Asked & { lookUp: LookUp }): Promise<string>;
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
    async embed({ url, key, model, load }, texts) {
      const { OpenAIEmbeddings } = await load("@langchain/openai");
      const configuration = { baseURL: `${url}/v1` };
      return new OpenAIEmbeddings({ model, apiKey: key, configuration }).embedDocuments(texts);
    },
  },
  {
    name: "LlamaIndex",
    packages: ["@llamaindex/openai", "@llamaindex/core", "@llamaindex/workflow"],
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
    async embed({ url, key, model, load }, texts) {
      const { OpenAIEmbedding } = await load("@llamaindex/openai");
      const embedding = new OpenAIEmbedding({ model, apiKey: key, baseURL: `${url}/v1` });
      return embedding.getTextEmbeddings(texts);
    },
  },
  {
    // The library's loop: values that don't fit the schema are returned with the reason.
    name: "Instructor",
    packages: ["@instructor-ai/instructor", "openai", "zod@3"],
    inputs: [{ town: "Genoa" }, { place: "Genoa" }],
    sends: "Required",
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
  },
  {
    name: "OpenAI Agents (Responses)",
    packages: ["@openai/agents"],
    ...toolLoop,
    ask: (asked) => askAgents(asked, true),
  },
  {
    name: "OpenAI Agents (Chat completions)",
    packages: ["@openai/agents"],
    ...toolLoop,
    ask: (asked) => askAgents(asked, false),
  },
];

async function askAgents(
  { url, key, model, lookUp, load }: Asked & { lookUp: LookUp },
  useResponses: boolean,
): Promise<string> {
  const { Agent, OpenAIProvider, Runner, tool } = await load("@openai/agents");
  const modelProvider = new OpenAIProvider({ apiKey: key, baseURL: `${url}/v1`, useResponses });
  const weather = tool({ name: "weather", description, parameters, execute: lookUp });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const agent = new Agent({ name: "Weather", model, tools: [weather] });
  return String((await runner.run(agent, question)).finalOutput);
}

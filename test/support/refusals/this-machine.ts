import { builtin } from "#providers/builtin/adapter.ts";
import { ollama } from "#providers/services/ollama/adapter.ts";
import { startOllama } from "../../simulators/ollama.ts";
import { buildRequest } from "../contracts/attempt.ts";
import { endsWithoutAWord, gatewayTimeout, keyComesFirst, requestComesFirst } from "./openai.ts";
import { type Cells, type Column, type Refusal, rowNames } from "./table.ts";

const says = (status: number, error: string): Refusal => ({ status, body: { error } });
const staysHere = "It asks nobody: all of it is made on this machine.";

/**
 * One sentence for every error. ollama.com, whose models are called in the same way, has accounts.
 */
export const machineColumns: readonly Column[] = [
  {
    name: "ollama",
    adapter: ollama,
    reference: "https://docs.ollama.com/api/errors",
    async start() {
      const key = "key-of-a-proxy-in-front";
      const sim = await startOllama({ key });
      const connection = { kind: "ollama", addresses: sim.addresses, options: {}, secret: key };
      return { simulator: { ...sim, script: sim.meet }, origin: sim.url, connection };
    },
    request: buildRequest({
      model: { id: "llama3.2:latest", inputSchema: null, capabilities: { reasoning: false } },
    }),
    before: {
      "rate limit": says(429, "too many concurrent requests, please slow down"),
      "used up": [
        says(402, "you have reached your usage limit, upgrade for more"),
        says(403, "this model requires a subscription, upgrade for access"),
        says(429, "you've reached your hourly usage limit, please upgrade"),
      ],
      "wrong key": {
        status: 401,
        body: { error: "unauthorized", signin_url: "https://ollama.com/connect?name=x" },
        isSilent: true,
      },
      "missing right": says(403, "forbidden, says the proxy in front of it"),
      "too long": says(400, "the input exceeds the context length of the model"),
      filter: "It refuses no content: its models answer with words.",
      "wrong setting": [
        says(400, 'think value "low" is not supported for this model'),
        says(400, '"llama3.2" does not support tools'),
      ],
      "model gone": says(404, 'model "llama0" not found, try pulling it first'),
      overload: [
        says(503, "server busy, please try again.  maximum pending requests exceeded"),
        says(500, "model requires more system memory (5.6 GiB) than is available (2.1 GiB)"),
      ],
      timeout: gatewayTimeout,
      // Nothing is charged here, so retrying helps.
      "broken server": {
        ...says(500, "llama runner process has terminated: signal: killed"),
        code: "provider_interrupted",
      },
    },
    after: {
      "rate limit": requestComesFirst,
      "used up": requestComesFirst,
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": { error: "the context length of the model is exceeded" },
      filter: "It refuses no content: its models answer with words.",
      "wrong setting": requestComesFirst,
      "model gone": requestComesFirst,
      overload: { error: "cudaMalloc failed: out of memory" },
      timeout: endsWithoutAWord,
      "broken server": {
        error: "an error was encountered while running the model: unexpected EOF",
      },
    },
  },
  {
    name: "builtin",
    adapter: builtin,
    reference: "docs/providers/builtin.md",
    start: () => Promise.reject(new Error(staysHere)),
    request: buildRequest(),
    before: Object.fromEntries(rowNames.map((row) => [row, staysHere])) as Cells<Refusal>,
    after: staysHere,
  },
];

import type { ComfyFault } from "../../../../test/simulators/comfyui/faults.ts";
import { textToImage } from "../../../../test/simulators/comfyui/workflows.ts";
import { startComfy } from "../../../../test/simulators/comfyui.ts";
import type { Behaviour, Fault } from "../../../../test/simulators/kit/behaviour.ts";
import { buildRequest } from "../../../../test/support/contracts/attempt.ts";
import { keepsTheJobContract } from "../../../../test/support/contracts/job-contract.ts";
import { keepsTheMediaContract } from "../../../../test/support/contracts/media-contract.ts";
import { comfyui } from "./adapter.ts";

/** The common simulator faults, by this simulator's names. */
const faults: Partial<Record<Fault["kind"], ComfyFault>> = {
  html: "html",
  "broken-json": "broken-json",
};

async function start() {
  // The server is behind a proxy that requires a key.
  const key = "key-of-a-proxy-in-front";
  const sim = await startComfy({ key });
  const script = ({ fault, gate }: Behaviour) => {
    if (gate) sim.script("", "hold-reply");
    else if (fault?.kind === "status")
      sim.refuse({
        status: fault.status,
        body: fault.body ?? "Simulated.",
        headers: { "content-type": "text/plain" },
      });
    else if (fault?.kind === "reset")
      sim.script("", fault.at === "request" ? "lost-reply" : "cut-reply");
    else if (fault) sim.script("", faults[fault.kind]!);
  };
  const workflow = {
    id: "w",
    name: "Mine",
    document: comfyui.workflows!.parse(JSON.stringify(textToImage())),
  };
  return {
    simulator: {
      ...sim,
      script,
      get posts() {
        return sim.ledger.posts.map(() => ({ state: "answered" }));
      },
    },
    origin: sim.url,
    connection: { kind: "comfyui", addresses: sim.addresses, options: {}, secret: key },
    context: {
      clientToken: "6f9619ff-8b86-4011-b42d-00c04fc964ff",
      workflows: { list: async () => [workflow], get: async () => workflow },
    },
  };
}

const workflow = buildRequest({
  task: "image",
  model: { id: "w", inputSchema: null, capabilities: {} },
  turns: [],
  input: { prompt: "a harbour" },
});

keepsTheMediaContract({
  adapter: comfyui,
  start,
  isKeyless: true,
  requests: [["a workflow", workflow]],
});

keepsTheJobContract({
  adapter: comfyui,
  async start() {
    const { origin, ...started } = await start();
    return { ...started, origins: [origin] };
  },
  requests: [["a workflow", workflow]],
  // A lost job means that the server was restarted or the job removed there: both cost nothing.
  lost: null,
  wrongKey: "wrong-key-of-somebody",
});

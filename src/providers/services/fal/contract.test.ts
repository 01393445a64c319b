import { type FalFault, startFal } from "../../../../test/simulators/fal.ts";
import type { Behaviour, Fault } from "../../../../test/simulators/kit/behaviour.ts";
import { buildRequest } from "../../../../test/support/contracts/attempt.ts";
import { keepsTheJobContract } from "../../../../test/support/contracts/job-contract.ts";
import { keepsTheMediaContract } from "../../../../test/support/contracts/media-contract.ts";
import { fal } from "./adapter.ts";

/** The common simulator faults, by this simulator's names. */
const faults: Partial<Record<Fault["kind"], FalFault>> = {
  html: "html",
  "broken-json": "broken-json",
};

async function start(options: Record<string, string>) {
  const sim = await startFal();
  const script = ({ fault, gate, splitBytes: bytes }: Behaviour) => {
    if (gate) sim.script("", "hold-reply");
    else if (bytes && options.streamModels) sim.script("", "sse-bytes");
    else if (bytes) sim.interrupt({ kind: "pieces", bytes });
    else if (fault?.kind === "status")
      sim.refuse({ status: fault.status, body: fault.body ?? { detail: "Simulated." } });
    else if (fault?.kind === "reset")
      sim.script("", fault.at === "request" ? "lost-reply" : "cut-reply");
    else if (fault) sim.script("", faults[fault.kind]!);
  };
  return {
    simulator: {
      ...sim,
      script,
      get posts() {
        return sim.ledger.posts.map(({ outcome }) => ({
          state: outcome === "accepted" ? "answered" : "refused",
        }));
      },
    },
    origin: sim.url,
    connection: { kind: "fal", addresses: sim.addresses, options, secret: sim.key },
  };
}

const requestOf = (model: string, input: { [name: string]: string }) =>
  buildRequest({
    task: "image",
    model: { id: model, inputSchema: null, capabilities: {} },
    turns: [],
    input,
  });

for (const runs of ["queue", "direct"] as const) {
  keepsTheMediaContract({
    adapter: fal,
    start: () => start({ runs }),
    ...(runs === "queue" ? { way: "job", halfHeard: "unknown" } : { way: "answer" }),
    requests: [
      [`a picture, ${runs}`, requestOf("sim/flux/dev", { prompt: "a fox", image_size: "square" })],
    ],
  });
}

keepsTheMediaContract({
  adapter: fal,
  start: () => start({ streamModels: "sim/flux/dev" }),
  way: "answer",
  requests: [
    ["a picture, streamed", requestOf("sim/flux/dev", { prompt: "a fox", image_size: "square" })],
  ],
});

keepsTheJobContract({
  adapter: fal,
  async start() {
    const { simulator, origin, connection } = await start({ runs: "queue" });
    return { simulator, origins: [origin], connection };
  },
  requests: [["a picture", requestOf("sim/flux/dev", { prompt: "a fox", image_size: "square" })]],
  lost: {
    id: "00000000-0000-4000-8000-000000000000",
    urls: {
      status: "https://queue.fal.run/sim/flux/requests/00000000-0000-4000-8000-000000000000/status",
      result: "https://queue.fal.run/sim/flux/requests/00000000-0000-4000-8000-000000000000",
      cancel: "https://queue.fal.run/sim/flux/requests/00000000-0000-4000-8000-000000000000/cancel",
    },
  },
  wrongKey: "wrong-key-of-somebody",
});

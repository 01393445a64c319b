import { startVertex } from "../../../test/simulators/vertex.ts";
import { keepsTheChatContract } from "../../../test/support/adapter-contract.ts";
import { vertex } from "./adapter.ts";

async function start() {
  const simulator = await startVertex();
  const { origin } = simulator;
  const addresses = { api: origin, token: `${origin}/token`, storage: origin };
  const secret = JSON.stringify({ serviceAccount: simulator.tokens.keyFile });
  return { simulator, origin, connection: { kind: "vertex", addresses, options: { location: "us-central1" }, secret } };
}

keepsTheChatContract({
  adapter: vertex,
  start,
  model: "gemini-3.5-flash",
  capabilities: { reasoning: true, imageInput: true, tools: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
});

keepsTheChatContract({
  adapter: vertex,
  start,
  model: "anthropic/claude-opus-5",
  capabilities: { reasoning: true, imageInput: true, tools: true },
  reasons: true,
  usesTools: true,
});

import { startAnthropic } from "../../../../test/simulators/anthropic.ts";
import { keepsTheChatContract } from "../../../../test/support/contracts/adapter-contract.ts";
import { anthropic } from "./adapter.ts";

keepsTheChatContract({
  adapter: anthropic,
  async start() {
    const simulator = await startAnthropic();
    const connection = {
      kind: "anthropic",
      addresses: { api: simulator.url },
      options: {},
      secret: simulator.key,
    };
    return { simulator, origin: new URL(simulator.url).origin, connection };
  },
  model: "claude-sim-1",
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  wrongKey: "sk-ant-wrong-key-of-somebody",
});

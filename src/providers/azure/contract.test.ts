import { startAzure } from "../../../test/simulators/azure.ts";
import { keepsTheChatContract } from "../../../test/support/adapter-contract.ts";
import { azure } from "./adapter.ts";

keepsTheChatContract({
  adapter: azure,
  async start() {
    const simulator = await startAzure();
    const options = { deployments: "gpt-5-house = gpt-5.5" };
    const connection = { kind: "azure", addresses: { api: simulator.url }, options, secret: JSON.stringify({ key: simulator.key }) };
    return { simulator, origin: simulator.url, connection };
  },
  model: "gpt-5-house",
  capabilities: { reasoning: true, imageInput: true, pdfInput: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  wrongKey: JSON.stringify({ key: "wrong-key-of-somebody" }),
});

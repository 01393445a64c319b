import { startGoogle } from "../../../test/simulators/google.ts";
import { keepsTheChatContract } from "../../../test/support/adapter-contract.ts";
import { google } from "./adapter.ts";

keepsTheChatContract({
  adapter: google,
  async start() {
    const simulator = await startGoogle();
    const connection = { kind: "google", addresses: { api: simulator.url }, options: {}, secret: simulator.key };
    return { simulator, origin: new URL(simulator.url).origin, connection };
  },
  model: "gemini-3.5-flash",
  capabilities: { reasoning: true, imageInput: true, pdfInput: true, tools: true },
  reasons: true,
  usesTools: true,
  shapesAnswers: true,
  wrongKey: "AIza-wrong-key-of-somebody",
});

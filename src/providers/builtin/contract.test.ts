import sharp from "sharp";
import { buildFile } from "../../../test/support/contracts/attempt.ts";
import { keepsTheOwnContract, toWay } from "../../../test/support/contracts/own-contract.ts";
import { builtin } from "./adapter.ts";

const picture = await sharp({ create: { width: 24, height: 16, channels: 3, background: "#c63" } })
  .png()
  .toBuffer();
const file = buildFile("1", "image/png", picture);
const guide = { id: "guide", inputSchema: null, capabilities: {} };

keepsTheOwnContract({
  adapter: builtin,
  ways: [
    [
      "the guide",
      {
        task: "chat",
        model: guide,
        turns: [{ role: "user", parts: [{ type: "text", text: "How do I add a budget?" }] }],
      },
      0,
    ],
    [
      "a picture",
      toWay("pattern", { prompt: "hills at dawn", image_size: { width: 96, height: 64 } }),
      1,
    ],
    ["a voice", toWay("voice", { text: "Good morning. The kiln is warm." }), 1],
    ["a larger picture", toWay("upscale", { image: "asset:1" }, file), 1],
    ["an edit", toWay("edit/rotate", { image: "asset:1" }, file), 1],
  ],
});

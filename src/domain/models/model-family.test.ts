import { expect, it } from "vitest";
import { modelFamilyOf } from "./model-family.ts";

const of = (modelId: string, name = modelId) => modelFamilyOf({ modelId, name });

it("a model's family comes from a word of its id, wherever it is served", () => {
  const ids = {
    "fal-ai/flux-pro/kontext": "flux",
    "black-forest-labs/FLUX.1-schnell": "flux",
    "fal-ai/flux2/edit": "flux",
    "gpt-4o": "gpt",
    "chatgpt-4o-latest": "gpt",
    "o3-mini": "gpt",
    "anthropic.claude-sonnet-4-5-v1:0": "claude",
    "models/gemini-3-flash": "gemini",
    "fal-ai/veo3.1/fast": "veo",
    "fal-ai/kling-video/v3/pro/image-to-video": "kling",
    "fal-ai/wan-25-preview/text-to-video": "wan",
    "stabilityai/stable-diffusion-xl": "stable-diffusion",
    "fal-ai/stable-diffusion-v35-large": "stable-diffusion",
    sd3: "stable-diffusion",
    "fal-ai/nano-banana-2": "nano-banana",
    "openai/dall-e-3": "dall-e",
    "mistralai/Ministral-8B": "mistral",
    "fal-ai/hunyuan3d/v2": "hunyuan",
    "fal-ai/sam2/image": "sam",
    "us.amazon.nova-pro-v1:0": "nova",
  };
  expect(Object.fromEntries(Object.keys(ids).map((id) => [id, of(id)]))).toEqual(ids);
});

it("the name decides if the id doesn't, and the first word wins", () => {
  expect(of("workflow-7", "Portrait with FLUX")).toBe("flux");
  expect(of("deepseek-r1-distill-llama-70b")).toBe("deepseek");
});

it("a family's name inside a longer word doesn't count", () => {
  expect(
    ["influx", "swan-lake", "samba", "phishing", "video3", "promo3"].map((id) => of(id)),
  ).toEqual([null, null, null, null, null, null]);
});

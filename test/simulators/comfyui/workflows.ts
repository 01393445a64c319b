import type { Graph } from "./validate.ts";

/** Text to image: ComfyUI's own first workflow in API format. */
export const textToImage = (words = "a lighthouse"): Graph => ({
  "3": {
    inputs: {
      seed: 156680208700286,
      steps: 4,
      cfg: 8,
      sampler_name: "euler",
      scheduler: "normal",
      denoise: 1,
      model: ["4", 0],
      positive: ["6", 0],
      negative: ["7", 0],
      latent_image: ["5", 0],
    },
    class_type: "KSampler",
    _meta: { title: "KSampler" },
  },
  "4": {
    inputs: { ckpt_name: "sd15.safetensors" },
    class_type: "CheckpointLoaderSimple",
    _meta: { title: "Load Checkpoint" },
  },
  "5": {
    inputs: { width: 64, height: 64, batch_size: 1 },
    class_type: "EmptyLatentImage",
    _meta: { title: "Empty Latent Image" },
  },
  "6": {
    inputs: { text: words, clip: ["4", 1] },
    class_type: "CLIPTextEncode",
    _meta: { title: "CLIP Text Encode (Prompt)" },
  },
  "7": {
    inputs: { text: "text, watermark", clip: ["4", 1] },
    class_type: "CLIPTextEncode",
    _meta: { title: "CLIP Text Encode (Prompt)" },
  },
  "8": {
    inputs: { samples: ["3", 0], vae: ["4", 2] },
    class_type: "VAEDecode",
    _meta: { title: "VAE Decode" },
  },
  "9": {
    inputs: { filename_prefix: "ComfyUI", images: ["8", 0] },
    class_type: "SaveImage",
    _meta: { title: "Save Image" },
  },
});

/** Image to image: a loaded picture replaces the empty latent. */
export const imageToImage = (): Graph => {
  const { "5": _, ...graph } = textToImage("the same in winter");
  return {
    ...graph,
    "3": {
      ...graph["3"]!,
      inputs: { ...graph["3"]!.inputs, latent_image: ["11", 0], denoise: 0.8 },
    },
    "10": {
      inputs: { image: "mine.png" },
      class_type: "LoadImage",
      _meta: { title: "The picture" },
    },
    "11": { inputs: { pixels: ["10", 0], vae: ["4", 2] }, class_type: "VAEEncode" },
  };
};

/** Frames combined into a video, with the prompt in a separate node and a second output. */
export const toVideo = (): Graph => {
  const { "9": _, ...graph } = textToImage();
  return {
    ...graph,
    "6": { inputs: { text: ["12", 0], clip: ["4", 1] }, class_type: "CLIPTextEncode" },
    "7": { inputs: { conditioning: ["6", 0] }, class_type: "ConditioningZeroOut" },
    "12": { inputs: { value: "waves on a beach" }, class_type: "PrimitiveStringMultiline" },
    "13": { inputs: { images: ["8", 0], fps: 24 }, class_type: "CreateVideo" },
    "14": {
      inputs: { video: ["13", 0], filename_prefix: "video/ComfyUI", format: "auto", codec: "auto" },
      class_type: "SaveVideo",
    },
    "15": { inputs: { images: ["8", 0] }, class_type: "PreviewImage" },
  };
};

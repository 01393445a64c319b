/**
 * A dozen nodes in the form of GET /object_info: types, bounds and choices as in ComfyUI's own
 * nodes.py and comfy_extras.
 */
export type NodeType = {
  required: Record<string, [unknown, Record<string, unknown>?]>;
  optional?: Record<string, [unknown, Record<string, unknown>?]>;
  output: string[];
  isOutput?: boolean;
  isPaid?: boolean;
  title: string;
};

const checkpoints = ["sd15.safetensors", "sdxl_base_1.0.safetensors"];
const samplers = ["euler", "euler_ancestral", "dpmpp_2m", "uni_pc"];
const schedulers = ["simple", "normal", "karras"];
const seed = {
  default: 0,
  min: 0,
  max: 2 ** 64,
  control_after_generate: true,
  tooltip: "The random seed used for the noise.",
};
const side = { default: 512, min: 16, max: 16384, step: 8 };

/**
 * `inputs` are the names of files in the server's input folder, which a loader offers as its
 * choices.
 */
export const nodeTypes = (inputs: readonly string[]): Record<string, NodeType> => ({
  CheckpointLoaderSimple: {
    required: {
      ckpt_name: [checkpoints, { tooltip: "The name of the checkpoint (model) to load." }],
    },
    output: ["MODEL", "CLIP", "VAE"],
    title: "Load Checkpoint",
  },
  CLIPTextEncode: {
    required: { text: ["STRING", { multiline: true, dynamicPrompts: true }], clip: ["CLIP", {}] },
    output: ["CONDITIONING"],
    title: "CLIP Text Encode (Prompt)",
  },
  ConditioningZeroOut: {
    required: { conditioning: ["CONDITIONING"] },
    output: ["CONDITIONING"],
    title: "ConditioningZeroOut",
  },
  EmptyLatentImage: {
    required: {
      width: ["INT", side],
      height: ["INT", side],
      batch_size: ["INT", { default: 1, min: 1, max: 4096 }],
    },
    output: ["LATENT"],
    title: "Empty Latent Image",
  },
  KSampler: {
    required: {
      model: ["MODEL", {}],
      seed: ["INT", seed],
      steps: ["INT", { default: 20, min: 1, max: 10000 }],
      cfg: ["FLOAT", { default: 8, min: 0, max: 100, step: 0.1, round: 0.01 }],
      sampler_name: [samplers, {}],
      scheduler: ["COMBO", { options: schedulers }],
      positive: ["CONDITIONING", {}],
      negative: ["CONDITIONING", {}],
      latent_image: ["LATENT", {}],
      denoise: ["FLOAT", { default: 1, min: 0, max: 1, step: 0.01 }],
    },
    output: ["LATENT"],
    title: "KSampler",
  },
  VAEDecode: {
    required: { samples: ["LATENT", {}], vae: ["VAE", {}] },
    output: ["IMAGE"],
    title: "VAE Decode",
  },
  VAEEncode: {
    required: { pixels: ["IMAGE"], vae: ["VAE"] },
    output: ["LATENT"],
    title: "VAE Encode",
  },
  LoadImage: {
    required: { image: [inputs, { image_upload: true }] },
    output: ["IMAGE", "MASK"],
    title: "Load Image",
  },
  LoadAudio: {
    required: { audio: [inputs, { audio_upload: true }] },
    output: ["AUDIO"],
    title: "Load Audio",
  },
  UpscaleModelLoader: {
    required: { model_name: [["4x.pth"], {}] },
    output: ["UPSCALE_MODEL"],
    title: "Load Upscale Model",
  },
  ImageUpscaleWithModel: {
    required: { upscale_model: ["UPSCALE_MODEL"], image: ["IMAGE"] },
    output: ["IMAGE"],
    title: "Upscale Image (using Model)",
  },
  PrimitiveStringMultiline: {
    required: { value: ["STRING", { multiline: true }] },
    output: ["STRING"],
    title: "String (Multiline)",
  },
  SaveImage: {
    required: { images: ["IMAGE", {}], filename_prefix: ["STRING", { default: "ComfyUI" }] },
    output: [],
    isOutput: true,
    title: "Save Image",
  },
  SaveAnimatedWEBP: {
    required: {
      images: ["IMAGE", {}],
      filename_prefix: ["STRING", { default: "ComfyUI" }],
      fps: ["FLOAT", { default: 6, min: 0.01, max: 1000, step: 0.01 }],
    },
    output: ["IMAGE"],
    isOutput: true,
    title: "Save Animated WEBP",
  },
  PrimitiveInt: {
    required: { value: ["INT", { min: 0, max: 2 ** 63 }] },
    output: ["INT"],
    title: "Int",
  },
  PreviewImage: {
    required: { images: ["IMAGE"] },
    output: [],
    isOutput: true,
    title: "Preview Image",
  },
  PreviewAny: {
    required: { source: ["*", {}] },
    output: [],
    isOutput: true,
    title: "Preview as Text",
  },
  SaveAudio: {
    required: { audio: ["AUDIO"], filename_prefix: ["STRING", { default: "audio/ComfyUI" }] },
    output: [],
    isOutput: true,
    title: "Save Audio (FLAC)",
  },
  CreateVideo: {
    required: { images: ["IMAGE"], fps: ["FLOAT", { default: 30, min: 1, max: 120, step: 1 }] },
    output: ["VIDEO"],
    title: "Create Video",
  },
  SaveVideo: {
    required: {
      video: ["VIDEO"],
      filename_prefix: ["STRING", { default: "video/ComfyUI" }],
      format: ["COMBO", { options: ["auto", "mp4"], default: "auto" }],
      codec: ["COMBO", { options: ["auto", "h264"], default: "auto" }],
    },
    output: [],
    isOutput: true,
    title: "Save Video",
  },
  FluxProUltraImageNode: {
    required: { prompt: ["STRING", { multiline: true }] },
    output: ["IMAGE"],
    isPaid: true,
    title: "Flux 1.1 [pro] Ultra Image",
  },
});

export const toObjectInfo = (name: string, type: NodeType) => ({
  input: { required: type.required, ...(type.optional && { optional: type.optional }) },
  input_order: {
    required: Object.keys(type.required),
    ...(type.optional && { optional: Object.keys(type.optional) }),
  },
  output: type.output,
  output_is_list: type.output.map(() => false),
  output_name: type.output,
  name,
  display_name: type.title,
  description: "",
  python_module: "nodes",
  category: "sim",
  output_node: type.isOutput === true,
  ...(type.isPaid && { api_node: true }),
});

import {
  type Components,
  document,
  flag,
  imageSize,
  integer,
  list,
  number,
  object,
  oneOf,
  optional,
  ref,
  type Schema,
  text,
} from "./documents.ts";

type OutputKind = "images" | "image" | "video" | "audio" | "model_mesh" | "text" | "training";

export type SimulatedModel = {
  id: string;
  name: string;
  description: string;
  category: string;
  tags: string[];
  /** The release date in ISO 8601. */
  date: string;
  status: "active" | "deprecated";
  input: Schema;
  components: Components;
  output: OutputKind;
  price: { unit_price: number; unit: string };
  /** Supports the realtime protocol, at its own address or below it. */
  realtime?: true;
  /** Also answers at /stream, with its partial output. */
  streams?: true;
  document: Schema;
};

type Draft = Omit<SimulatedModel, "document" | "status" | "tags" | "date" | "components"> &
  Partial<Pick<SimulatedModel, "status" | "tags" | "date" | "components">>;

const prompt = text("The prompt to generate from.", {
  maxLength: 5000,
  minLength: 1,
  examples: ["A lighthouse in the fog"],
});
const negativePrompt = text("What to leave out.", { default: "" });
const seed = integer("The same seed and prompt give the same output.", {
  minimum: 0,
  maximum: 4294967295,
});
const numImages = integer("The number of images to generate.", {
  default: 1,
  minimum: 1,
  maximum: 4,
});
const syncMode = flag("If true, the media is returned as a data URI and is not kept.", false);

const drafts: Draft[] = [
  {
    id: "sim/flux/dev",
    name: "Simulated Flux",
    description: "Text to image, with sizes, LoRAs and ranges.",
    category: "text-to-image",
    input: object(
      {
        prompt,
        image_size: imageSize,
        num_inference_steps: integer("The number of inference steps.", {
          default: 28,
          minimum: 1,
          maximum: 50,
        }),
        seed,
        loras: list("The LoRAs to use.", ref("LoraWeight"), { default: [] }),
        guidance_scale: number("How closely to stick to the prompt.", {
          default: 3.5,
          minimum: 1,
          maximum: 20,
        }),
        num_images: numImages,
        enable_safety_checker: flag("Whether to check the output.", true),
        output_format: oneOf("The format of the image.", ["jpeg", "png"], { default: "png" }),
        sync_mode: syncMode,
      },
      ["prompt"],
    ),
    components: {
      LoraWeight: object(
        {
          path: text("URL or path of the weights."),
          scale: number("Strength.", { default: 1, minimum: 0, maximum: 4 }),
        },
        ["path"],
      ),
    },
    output: "images",
    streams: true,
    price: { unit_price: 0.025, unit: "megapixels" },
  },
  {
    id: "sim/flux/dev/image-to-image",
    name: "Simulated Flux, from a picture",
    description: "A picture and words in, a picture out.",
    category: "image-to-image",
    input: object(
      {
        image_url: text("The picture to begin with."),
        prompt,
        aspect_ratio: oneOf("The aspect ratio.", ["21:9", "16:9", "4:3", "1:1", "3:4", "9:16"]),
        safety_tolerance: oneOf("1 is the strictest.", ["1", "2", "3", "4", "5", "6"], {
          default: "2",
        }),
        seed,
        num_images: numImages,
        sync_mode: syncMode,
      },
      ["prompt", "image_url"],
    ),
    output: "images",
    price: { unit_price: 0.04, unit: "images" },
  },
  {
    id: "acme/ideogram/v3",
    name: "Simulated Ideogram",
    description: "Palettes, presets and references: the nested shapes.",
    category: "text-to-image",
    input: object(
      {
        prompt,
        image_urls: optional("Style references.", list("", { type: "string" })),
        color_palette: optional("A preset, or colors with weights.", ref("ColorPalette")),
        style: optional("The style.", {
          type: "string",
          enum: ["AUTO", "GENERAL", "REALISTIC", "DESIGN"],
        }),
        rendering_speed: oneOf("Speed against quality.", ["TURBO", "BALANCED", "QUALITY"], {
          default: "BALANCED",
        }),
        background_color: text("Color behind it, as hex.", {
          pattern: "^#[0-9a-fA-F]{6}$",
          format: "color",
        }),
        negative_prompt: negativePrompt,
        seed: optional("Seed.", { type: "integer" }),
      },
      ["prompt"],
    ),
    components: {
      RGBColor: object({
        r: integer("Red.", { minimum: 0, maximum: 255, default: 0 }),
        g: integer("Green.", { minimum: 0, maximum: 255, default: 0 }),
        b: integer("Blue.", { minimum: 0, maximum: 255, default: 0 }),
      }),
      ColorPaletteMember: object(
        {
          rgb: { allOf: [ref("RGBColor")], description: "The color." },
          color_weight: number("Weight.", { minimum: 0.05, maximum: 1 }),
        },
        ["rgb"],
      ),
      ColorPalette: object({
        name: text("A preset.", { enum: ["EMBER", "FRESH", "JUNGLE", "MAGIC"], nullable: true }),
        members: optional("Colors.", list("", ref("ColorPaletteMember"))),
      }),
    },
    output: "images",
    price: { unit_price: 0.06, unit: "images" },
  },
  {
    id: "acme/kling-video/v3/pro/image-to-video",
    name: "Simulated Kling",
    description: "A first picture in, a video out.",
    category: "image-to-video",
    input: object(
      {
        prompt: text("What happens.", { maxLength: 2500 }),
        start_image_url: text("The first frame.", { format: "uri" }),
        end_image_url: optional("The last frame.", { type: "string", format: "uri" }),
        duration: oneOf("Seconds.", ["5", "10"], { default: "5" }),
        cfg_scale: number("Guidance.", { default: 0.5, minimum: 0, maximum: 1 }),
        elements: list("Characters that stay the same.", ref("Element")),
        multi_prompt: list("Shots.", ref("Shot")),
      },
      ["start_image_url"],
    ),
    components: {
      Element: object({
        frontal_image_url: text("From the front."),
        reference_image_urls: list("Other sides.", { type: "string" }),
        video_url: text("A video of it."),
      }),
      Shot: object(
        {
          prompt: text("What happens in the shot."),
          duration: oneOf("Seconds.", ["3", "5"], { default: "5" }),
        },
        ["prompt"],
      ),
    },
    output: "video",
    price: { unit_price: 0.28, unit: "seconds" },
  },
  {
    id: "luma/veo/fast",
    name: "Simulated Veo",
    description: "Text to video with sound.",
    category: "text-to-video",
    input: object(
      {
        prompt,
        aspect_ratio: oneOf("The aspect ratio.", ["16:9", "9:16", "1:1"], { default: "16:9" }),
        duration: oneOf("Length.", ["4s", "6s", "8s"], { default: "8s" }),
        generate_audio: flag("With sound.", true),
        fps: oneOf("Frames a second.", [24, 30, 60], { default: 24 }),
      },
      ["prompt"],
    ),
    output: "video",
    price: { unit_price: 0.1, unit: "seconds" },
  },
  {
    id: "acme/sync-lipsync/v2",
    name: "Simulated lip-sync",
    description: "Its sync_mode is an enum and has to stay.",
    category: "video-to-video",
    input: object(
      {
        video_url: text("The video."),
        audio_url: text("The voice."),
        sync_mode: oneOf("What to do when lengths differ.", ["cut_off", "loop", "bounce"], {
          default: "cut_off",
        }),
      },
      ["video_url", "audio_url"],
    ),
    output: "video",
    price: { unit_price: 3, unit: "minutes" },
  },
  {
    id: "sim/elevenlabs/tts/eleven-v3",
    name: "Simulated voice",
    description: "Text to speech.",
    category: "text-to-speech",
    input: object(
      {
        text: text("The text to speak.", { minLength: 1 }),
        voice: text("The voice.", { default: "Rachel", examples: ["Aria", "Rachel"] }),
        stability: optional(
          "0 to 1.",
          { type: "number", minimum: 0, maximum: 1 },
          { default: 0.5 },
        ),
        speed: number("Speed.", { default: 1, minimum: 0.7, maximum: 1.2 }),
      },
      ["text"],
    ),
    output: "audio",
    price: { unit_price: 0.1, unit: "1000 characters" },
  },
  {
    id: "sim/minimax-music/v2",
    name: "Simulated music",
    description: "Words and style in, a song out.",
    category: "text-to-audio",
    input: object(
      {
        prompt,
        lyrics_prompt: text("Lyrics.", { minLength: 10, maxLength: 3000 }),
        audio_setting: ref("AudioSetting"),
      },
      ["prompt"],
    ),
    components: {
      AudioSetting: object({
        sample_rate: oneOf("Hz.", [16000, 24000, 44100], { default: 44100 }),
        format: oneOf("Format.", ["wav", "mp3"], { default: "wav" }),
      }),
    },
    output: "audio",
    price: { unit_price: 0.03, unit: "generations" },
  },
  {
    id: "sim/whisper",
    name: "Simulated Whisper",
    description: "Speech to text: a result without files.",
    category: "speech-to-text",
    input: object(
      {
        audio_url: text("The recording."),
        task: oneOf("What to do.", ["transcribe", "translate"], { default: "transcribe" }),
      },
      ["audio_url"],
    ),
    output: "text",
    streams: true,
    price: { unit_price: 0.00111, unit: "compute seconds" },
  },
  {
    id: "sim/clarity-upscaler",
    name: "Simulated upscaler",
    description: "A picture twice as large.",
    category: "image-to-image",
    tags: ["upscaling"],
    input: object(
      {
        image_url: text("The picture."),
        upscale_factor: number("How much.", { default: 2, minimum: 1, maximum: 4 }),
        seed,
      },
      ["image_url"],
    ),
    output: "image",
    price: { unit_price: 0.03, unit: "megapixels" },
  },
  {
    id: "sim/birefnet/v2",
    name: "Simulated background removal",
    description: "The subject alone.",
    category: "image-to-image",
    tags: ["background removal", "segmentation"],
    input: object(
      {
        image_url: text("The picture."),
        operating_resolution: oneOf("Resolution.", ["1024x1024", "2048x2048"], {
          default: "1024x1024",
        }),
        mask_only: flag("Only the mask.", false),
      },
      ["image_url"],
    ),
    output: "image",
    price: { unit_price: 0.00025, unit: "compute seconds" },
  },
  {
    id: "sim/trellis",
    name: "Simulated Trellis",
    description: "A picture in, a mesh out.",
    category: "image-to-3d",
    input: object(
      {
        image_url: text("The picture."),
        texture_size: oneOf("Texture.", [512, 1024, 2048], { default: 1024 }),
        mesh_simplify: number("Simplify.", { default: 0.95, minimum: 0.9, maximum: 0.98 }),
      },
      ["image_url"],
    ),
    output: "model_mesh",
    price: { unit_price: 0.02, unit: "generations" },
  },
  {
    id: "sim/workflow/tree",
    name: "Simulated workflow",
    description: "Its schema contains itself.",
    category: "json",
    input: object({ prompt, root: ref("Node") }, ["root"]),
    components: {
      Node: object(
        {
          name: text("The name.", { minLength: 1 }),
          image_url: optional("A picture.", { type: "string" }),
          children: list("Below it.", ref("Node")),
        },
        ["name"],
      ),
    },
    output: "text",
    price: { unit_price: 0.001, unit: "requests" },
  },
  {
    id: "sim/flux-lora-fast-training",
    name: "Simulated training",
    description: "A zip of pictures in, weights out.",
    category: "training",
    input: object(
      {
        images_data_url: text("URL to zip archive with images."),
        steps: integer("Steps.", { default: 1000, minimum: 1, maximum: 10000 }),
        trigger_word: optional("Word.", { type: "string" }),
      },
      ["images_data_url"],
    ),
    output: "training",
    price: { unit_price: 2, unit: "generations" },
  },
  {
    // Like fal-ai/flux-2/klein/realtime: only frames, with pictures inside the message.
    id: "sim/klein/realtime",
    name: "Simulated Klein, live",
    description: "A drawing in, a frame out, at once.",
    category: "image-to-image",
    input: object(
      {
        prompt: text("The prompt to guide image editing.", {
          default: "Turn this into an oil painting",
        }),
        image_url: text("Base64-encoded image data URI. CDN URLs are not supported for realtime."),
        image_size: oneOf("The size of the generated image.", ["square", "square_hd"], {
          default: "square",
        }),
        num_inference_steps: integer("Steps.", { default: 3, minimum: 1, maximum: 8 }),
        output_feedback_strength: number("1.0 is no feedback.", {
          default: 1,
          minimum: 0,
          maximum: 1,
        }),
        seed: integer("Random seed for reproducibility.", { default: 35 }),
      },
      ["image_url"],
    ),
    output: "images",
    realtime: true,
    price: { unit_price: 0.001, unit: "compute seconds" },
  },
  {
    // Like fal-ai/fast-lcm-diffusion: a queue model that also answers at /realtime, which its entry
    // doesn't mention.
    id: "sim/lcm",
    name: "Simulated LCM",
    description: "Words in, a picture out, by the queue or live.",
    category: "text-to-image",
    input: object(
      { prompt, seed, strength: number("Strength.", { default: 0.8, minimum: 0, maximum: 1 }) },
      ["prompt"],
    ),
    output: "images",
    realtime: true,
    price: { unit_price: 0.003, unit: "images" },
  },
  {
    id: "sim/stable-diffusion-v15",
    name: "Simulated old model",
    description: "No longer looked after.",
    category: "text-to-image",
    status: "deprecated",
    input: object({ prompt, negative_prompt: negativePrompt, seed, num_images: numImages }, [
      "prompt",
    ]),
    output: "images",
    price: { unit_price: 0.005, unit: "images" },
  },
];

/**
 * The simulator's models: every shape that a form and an adapter must handle, each at least once.
 */
export const catalogue: readonly SimulatedModel[] = drafts.map((draft) => {
  const components = draft.components ?? {};
  return {
    status: "active",
    tags: [],
    date: "2026-03-01T09:00:00Z",
    ...draft,
    components,
    document: document(draft.id, draft.category, draft.input, components, "https://queue.fal.run"),
  };
});

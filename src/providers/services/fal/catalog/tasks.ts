import type { Modality, Task } from "#contract/tasks.ts";

type Kind = { tasks: Task[]; inputModalities: Modality[]; outputModalities: Modality[] };

/** Maps the words of fal's categories ("image-to-video") to our modalities. */
const modalityOf: Record<string, Modality> = {
  text: "text",
  image: "image",
  images: "image",
  video: "video",
  audio: "audio",
  speech: "audio",
  music: "audio",
  "3d": "3d",
  json: "text",
  vision: "image",
};

const byCategory: Record<string, Task[]> = {
  "text-to-image": ["image"],
  "image-to-image": ["edit", "image"],
  "text-to-video": ["video"],
  "image-to-video": ["video"],
  "video-to-video": ["video"],
  "audio-to-video": ["video"],
  "text-to-speech": ["speech"],
  "speech-to-speech": ["speech"],
  "text-to-audio": ["music"],
  "text-to-music": ["music"],
  "audio-to-audio": ["music"],
  "speech-to-text": ["transcription"],
  "audio-to-text": ["transcription"],
  "text-to-3d": ["3d"],
  "image-to-3d": ["3d"],
  "3d-to-3d": ["3d"],
};

/** Categories that name no output. */
const textCategories = new Set(["llm", "vision"]);

/**
 * Derives an endpoint's purpose from fal's category and tags, never from its name. Upscaling and
 * background removal are image-to-image there; tags distinguish them.
 */
export function toKind(category: string, tags: readonly string[]): Kind {
  const [from = "", into = ""] = category.toLowerCase().split("-to-");
  const input = modalityOf[from] ?? "text";
  const output = modalityOf[into] ?? (textCategories.has(category.toLowerCase()) ? "text" : "file");
  const tagged = tags.join(" ").toLowerCase();
  const tasks: Task[] = [];
  if (input === "image" && output === "image") {
    if (/upscal|super.?resolution/.test(tagged)) tasks.push("upscale");
    if (/background.?remov|remove.?background/.test(tagged)) tasks.push("background-removal");
  }
  if (tasks.length === 0) tasks.push(...(byCategory[category.toLowerCase()] ?? ["other"]));
  const inputModalities: Modality[] =
    input === "text" || tasks.includes("transcription") ? [input] : ["text", input];
  return { tasks, inputModalities, outputModalities: [output] };
}

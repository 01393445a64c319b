const capitals = new Set([
  "hd",
  "id",
  "url",
  "lora",
  "cfg",
  "rgb",
  "fps",
  "svg",
  "png",
  "jpeg",
  "jpg",
  "webp",
  "gif",
  "mp3",
  "mp4",
  "wav",
  "3d",
  "2d",
  "ai",
  "sd",
  "4k",
  "8k",
  "2k",
  "1k",
]);

/**
 * "num_inference_steps" and "Num Inference Steps" as "Num inference steps"; "square_hd" as "Square
 * HD"; "landscape_16_9" as "Landscape 16:9".
 */
export function humanize(name: string): string {
  const words = name
    .replace(/(\d)_(\d)/g, "$1:$2")
    // Splits an identifier at its capitals ("guidanceScale", "VoiceRef") but not a word such as
    // "LoRAs".
    .replace(/^[A-Za-z]?[a-z]{2,}(?:[A-Z][a-z]+)+$/, (hump) =>
      hump.replace(/([a-z])([A-Z])/g, "$1 $2"),
    )
    .split(/[\s_-]+/)
    .filter(Boolean)
    .map((word) => {
      const small = word.toLowerCase();
      if (capitals.has(small)) return small.toUpperCase();
      return /.[A-Z]/.test(word) ? word : small;
    });
  const text = words.join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * The label of a file field without its URL suffix, because the person picks a file and not an
 * address: "start_image_url" as "Start image", "image_urls" as "Images".
 */
export const nameFile = (name: string): string =>
  humanize(name).replace(/ url(s?)$/i, (_, plural: string) => plural);

/** An enumeration's value as readable text; values that aren't words stay unchanged. */
export function nameValue(value: unknown): string {
  if (typeof value !== "string") return String(value);
  return /^[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*$/.test(value) ? humanize(value) : value;
}

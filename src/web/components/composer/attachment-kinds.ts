import type { Asset, Model, ModelDetail } from "#contract/entities.ts";
import { officeTypes } from "#contract/filters/provider-tools.ts";
import { limits } from "#contract/limits.ts";
import { isHeic, isHeicType } from "#domain/files/heic.ts";
import type { DraftFile } from "./message-draft.ts";

export type Refusal = "empty" | "too-large" | "not-readable" | "too-many";
/** The kinds of input that a model can take besides text. */
export type AttachmentKind = "image" | "heic" | "audio" | "video" | "pdf" | "document" | "text";

/** The file picker's filter; the actual type is checked afterwards. */
export const acceptedTypes =
  "image/*,audio/*,video/*,application/pdf,.docx,.pptx,text/*,.md,.csv,.json,.xml,.yaml,.yml,.toml,.log,.ts,.tsx,.js,.py,.rs,.go,.java,.c,.h,.cpp,.sql,.sh";

const sniffBytes = 4_096;

/** A file's attachment kind, as far as the browser can tell; null if no chat model reads it. */
export async function kindOfFile(
  file: Blob & { type: string; name?: string },
): Promise<AttachmentKind | null> {
  const [top] = file.type.split("/");
  if (isHeicType(file.type)) return "heic";
  if (isMedia(top)) return top;
  if (file.type === "application/pdf") return "pdf";
  if (isOffice(file.type)) return "document";
  if (top === "font") return null;
  if (file.type.startsWith("text/")) return "text";
  // Photos, code and data files come with odd types or none. Text contains no zero byte; packed
  // files nearly always do.
  const head = new Uint8Array(await file.slice(0, sniffBytes).arrayBuffer());
  if (isHeic(head)) return "heic";
  if (isZip(head)) return /\.(docx|pptx)$/i.test(file.name ?? "") ? "document" : null;
  return head.includes(0) ? null : "text";
}

const isOffice = (mime: string): boolean => Object.hasOwn(officeTypes, mime);

const isMedia = (name: string | undefined) =>
  name === "image" || name === "audio" || name === "video";
const isZip = (head: Uint8Array) =>
  head[0] === 0x50 && head[1] === 0x4b && head[2] === 0x03 && head[3] === 0x04;

/** The attachment kind that the server detected, of an asset or of a file in a saved draft. */
export function kindOfAsset({
  kind,
  mime,
}: Pick<Asset, "mime"> & { kind: string }): AttachmentKind | null {
  if (isHeicType(mime)) return "heic";
  if (isMedia(kind)) return kind;
  if (mime === "application/pdf") return "pdf";
  if (isOffice(mime)) return "document";
  return kind === "text" || mime.startsWith("text/") ? "text" : null;
}

/** The reason to refuse a file before uploading it; null if it is accepted. */
export async function refusalOf(file: File, held: number): Promise<Refusal | null> {
  if (held >= limits.attachmentsPerMessage) return "too-many";
  if (file.size === 0) return "empty";
  if (file.size > limits.uploadBytes) return "too-large";
  return (await kindOfFile(file)) === null ? "not-readable" : null;
}

/**
 * Whether a model can read the kind. Most servers don't say, so only an explicit "no" counts. HEIC,
 * sound and film need an explicit "yes", and documents need file search in the model's form, if
 * loaded.
 */
export function canRead(
  model: Pick<Model, "capabilities" | "connectionKind"> & Partial<Pick<ModelDetail, "inputSchema">>,
  kind: AttachmentKind,
): boolean {
  if (kind === "image") return model.capabilities.imageInput !== false;
  if (kind === "heic") return model.capabilities.heicInput === true;
  if (kind === "pdf") return model.capabilities.pdfInput !== false;
  if (kind === "document")
    return model.inputSchema === undefined || hasFileSearch(model.inputSchema);
  if (kind === "audio") return model.capabilities.audioInput === true;
  if (kind === "video") return model.capabilities.videoInput === true;
  return true;
}

/** Finds a file that one of the models can't read, with that model's name. */
export function findUnreadable(
  models: readonly (Parameters<typeof canRead>[0] & { name: string })[],
  files: readonly DraftFile[],
): { file: string; model: string } | undefined {
  for (const model of models)
    for (const file of files) {
      const kind = kindOfAsset(file);
      if (kind !== null && !canRead(model, kind)) return { file: file.name, model: model.name };
    }
  return undefined;
}

function hasFileSearch(inputSchema: ModelDetail["inputSchema"]): boolean {
  const fields = inputSchema?.properties;
  return typeof fields === "object" && fields !== null && "fileSearch" in fields;
}

/**
 * Finds a file that only file search reads while the settings don't allow one. OpenAI's background
 * answers search no files.
 */
export function findUnsearched<Given extends Parameters<typeof kindOfAsset>[0]>(
  files: readonly Given[],
  { fileSearch, background }: { fileSearch?: unknown; background?: unknown },
): { file: Given; because: "off" | "background" } | undefined {
  const file = files.find((one) => kindOfAsset(one) === "document");
  if (!file) return undefined;
  if (fileSearch !== true) return { file, because: "off" };
  return background === true ? { file, because: "background" } : undefined;
}

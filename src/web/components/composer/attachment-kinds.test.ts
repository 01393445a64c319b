import { expect, it } from "vitest";
import type { JsonSchema } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { canRead, findUnsearched, kindOfAsset, kindOfFile, refusalOf } from "./attachment-kinds.ts";

const build = (content: BlobPart, name: string, type = "") => new File([content], name, { type });

it("pictures, sounds, videos, PDFs and text are attachments, and code without a type is text", async () => {
  expect(await kindOfFile(build("x", "a.png", "image/png"))).toBe("image");
  expect(await kindOfFile(build("x", "a.heic", "image/heic"))).toBe("heic");
  // Not every system knows the type.
  const photo = "\0\0\0\x18ftypheic\0\0\0\0mif1heic\0\0\0\x08mdat";
  expect(await kindOfFile(build(photo, "IMG_1.HEIC"))).toBe("heic");
  expect(await kindOfFile(build("x", "a.mp3", "audio/mpeg"))).toBe("audio");
  expect(await kindOfFile(build("x", "a.mp4", "video/mp4"))).toBe("video");
  expect(await kindOfFile(build("x", "a.pdf", "application/pdf"))).toBe("pdf");
  expect(await kindOfFile(build("fn main() {}", "a.rs"))).toBe("text");
  expect(await kindOfFile(build("{}", "a.json", "application/json"))).toBe("text");
});

it("fonts, archives and programs are refused before a byte is sent", async () => {
  expect(await refusalOf(build("x", "a.woff2", "font/woff2"), 0)).toBe("not-readable");
  expect(await refusalOf(build(new Uint8Array([0x50, 0x4b, 3, 4, 1]), "a.zip"), 0)).toBe(
    "not-readable",
  );
  expect(await refusalOf(build(new Uint8Array([0x7f, 0x45, 0, 0]), "a.out"), 0)).toBe(
    "not-readable",
  );
});

it("Word and PowerPoint documents are for models that search files", async () => {
  const zip = new Uint8Array([0x50, 0x4b, 3, 4, 1]);
  expect(await kindOfFile(build(zip, "a.DOCX"))).toBe("document");
  const mime = "application/vnd.openxmlformats-officedocument.presentationml.presentation";
  expect(kindOfAsset({ kind: "file", mime })).toBe("document");
  const model = { connectionKind: "openai", capabilities: {} };
  const form = (fields: object) => ({
    ...model,
    inputSchema: { properties: fields } as JsonSchema,
  });
  expect(canRead(form({ fileSearch: { type: "boolean" } }), "document")).toBe(true);
  expect(canRead(form({}), "document")).toBe(false);
  expect(canRead({ ...model, inputSchema: null }, "document")).toBe(false);
});

it("a document is sent only where its search is on, and not in the background", () => {
  const mime = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  const files = [
    { mime: "application/pdf", kind: "document" },
    { mime, kind: "document" },
  ];
  const file = files[1];
  expect(findUnsearched(files, {})).toEqual({ file, because: "off" });
  expect(findUnsearched(files, { fileSearch: true })).toBeUndefined();
  expect(findUnsearched(files, { fileSearch: true, background: true })).toEqual({
    file,
    because: "background",
  });
  expect(findUnsearched(files.slice(0, 1), { background: true })).toBeUndefined();
});

it("an empty file is refused, and so is one file over a message's limit", async () => {
  expect(await refusalOf(build("", "a.txt", "text/plain"), 0)).toBe("empty");
  expect(
    await refusalOf(build("x", "a.txt", "text/plain"), limits.attachmentsPerMessage - 1),
  ).toBeNull();
  expect(await refusalOf(build("x", "a.txt", "text/plain"), limits.attachmentsPerMessage)).toBe(
    "too-many",
  );
});

it("only a model's explicit no excludes pictures and text, and only its explicit yes allows HEIC, sound and video", () => {
  const model = { connectionKind: "openai-compatible", capabilities: {} };
  expect(canRead(model, "image")).toBe(true);
  expect(canRead({ ...model, capabilities: { imageInput: false } }, "image")).toBe(false);
  expect(canRead({ ...model, capabilities: { imageInput: false } }, "text")).toBe(true);
  expect(canRead(model, "audio")).toBe(false);
  expect(canRead({ ...model, capabilities: { audioInput: true } }, "audio")).toBe(true);
  expect(canRead({ ...model, capabilities: { audioInput: true } }, "video")).toBe(false);
  expect(canRead(model, "heic")).toBe(false);
  expect(canRead({ ...model, capabilities: { heicInput: true } }, "heic")).toBe(true);
});

it("the type that the server found overrides the name", () => {
  expect(kindOfAsset({ kind: "image", mime: "image/png" })).toBe("image");
  expect(kindOfAsset({ kind: "file", mime: "image/heic" })).toBe("heic");
  expect(kindOfAsset({ kind: "audio", mime: "audio/mpeg" })).toBe("audio");
  expect(kindOfAsset({ kind: "file", mime: "application/pdf" })).toBe("pdf");
  expect(kindOfAsset({ kind: "file", mime: "application/zip" })).toBeNull();
});

import { expect, it } from "vitest";
import { limits } from "#contract/limits.ts";
import { canRead, kindOfAsset, kindOfFile, refusalOf } from "./attachment-kinds.ts";

const build = (content: BlobPart, name: string, type = "") => new File([content], name, { type });

it("pictures, PDF and text are attachments; code without a type is text", async () => {
  expect(await kindOfFile(build("x", "a.png", "image/png"))).toBe("image");
  expect(await kindOfFile(build("x", "a.pdf", "application/pdf"))).toBe("pdf");
  expect(await kindOfFile(build("fn main() {}", "a.rs"))).toBe("text");
  expect(await kindOfFile(build("{}", "a.json", "application/json"))).toBe("text");
});

it("films, sounds, archives and programs are refused before a byte is sent", async () => {
  expect(await refusalOf(build("x", "a.mp4", "video/mp4"), 0)).toBe("not-readable");
  expect(await refusalOf(build(new Uint8Array([0x50, 0x4b, 3, 4, 1]), "a.docx"), 0)).toBe("not-readable");
  expect(await refusalOf(build(new Uint8Array([0x7f, 0x45, 0, 0]), "a.out"), 0)).toBe("not-readable");
});

it("an empty file is refused, and one more than a message takes", async () => {
  expect(await refusalOf(build("", "a.txt", "text/plain"), 0)).toBe("empty");
  expect(await refusalOf(build("x", "a.txt", "text/plain"), limits.attachmentsPerMessage - 1)).toBeNull();
  expect(await refusalOf(build("x", "a.txt", "text/plain"), limits.attachmentsPerMessage)).toBe("too-many");
});

it("only a model's own no keeps a kind from it", () => {
  const model = { connectionKind: "openai-compatible", capabilities: {} };
  expect(canRead(model, "image")).toBe(true);
  expect(canRead({ ...model, capabilities: { imageInput: false } }, "image")).toBe(false);
  expect(canRead({ ...model, capabilities: { imageInput: false } }, "text")).toBe(true);
});

it("what the server found decides over the name", () => {
  expect(kindOfAsset({ kind: "image", mime: "image/png" })).toBe("image");
  expect(kindOfAsset({ kind: "file", mime: "application/pdf" })).toBe("pdf");
  expect(kindOfAsset({ kind: "file", mime: "application/zip" })).toBeNull();
});

import { expect, it } from "vitest";
import { pictureUrl, thumbnailUrl } from "./asset-urls.ts";
import { decodeThumbhash } from "./thumbhash-canvas.tsx";

const variants = ["thumb-1280.webp", "thumb-320.webp", "thumb-640.webp"];
const name = (url: string | null) => url?.split("/").at(-1);

it("picks the smallest thumbnail that is wide enough, else the widest", () => {
  const asset = { id: "a", kind: "image" as const, variants };
  expect([100, 320, 321, 640, 5000].map((width) => name(thumbnailUrl(asset, width)))).toEqual([
    "thumb-320.webp",
    "thumb-320.webp",
    "thumb-640.webp",
    "thumb-640.webp",
    "thumb-1280.webp",
  ]);
});

it("shows a video's poster, and a picture itself if it has no thumbnail", () => {
  expect(
    name(thumbnailUrl({ id: "a", kind: "video", variants: ["poster.webp", "waveform.json"] }, 320)),
  ).toBe("poster.webp");
  expect(thumbnailUrl({ id: "a", kind: "image", variants: [] }, 320)).toBe("/api/v1/assets/a/file");
});

it("shows the file itself, and a thumbnail of a format that browsers can't show", () => {
  const asset = { id: "a", kind: "image" as const, variants };
  expect(pictureUrl({ ...asset, mime: "image/jpeg" })).toBe("/api/v1/assets/a/file");
  expect(name(pictureUrl({ ...asset, mime: "image/tiff" }))).toBe("thumb-1280.webp");
  expect(pictureUrl({ ...asset, mime: "image/heic", variants: [] })).toBe("/api/v1/assets/a/file");
});

it("has no picture for a sound", () => {
  expect(thumbnailUrl({ id: "a", kind: "audio", variants: ["waveform.json"] }, 320)).toBeNull();
});

it("ignores a thumbhash that is too short or isn't base64", () => {
  expect(decodeThumbhash("%%%")).toBeNull();
  expect(decodeThumbhash("AAA=")).toBeNull();
  expect(decodeThumbhash("1QcSHQRnh493V4dIh4eXh1h4kJUI")).toHaveLength(21);
});

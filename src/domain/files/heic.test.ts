import { expect, it } from "vitest";
import { heicPhoto } from "../../../test/support/heic.ts";
import { isHeic, isHeicType } from "./heic.ts";

const box = (brands: string) => {
  const text = Buffer.from(`\0\0\0\0ftyp${brands}`, "latin1");
  text.writeUInt32BE(text.length);
  return new Uint8Array(Buffer.concat([text, Buffer.from("\0\0\0\x08meta")]));
};

it("a phone's photo is recognized by its brands, and an AVIF isn't one", () => {
  expect(isHeic(heicPhoto)).toBe(true);
  expect(isHeic(box("heic\0\0\0\0mif1heic"))).toBe(true);
  expect(isHeic(box("mif1\0\0\0\0mif1heic"))).toBe(true);
  expect(isHeic(box("avif\0\0\0\0mif1avif"))).toBe(false);
  expect(isHeic(box("isom\0\0\0\0mp41"))).toBe(false);
  expect(isHeic(new Uint8Array(Buffer.from("heic")))).toBe(false);
  expect(isHeic(new Uint8Array(0))).toBe(false);
});

it("photos and sequences of them are HEIC by their media type, and AVIF isn't", () => {
  const types = ["image/heic", "image/heif", "image/heic-sequence", "image/avif", "image/heicx"];
  expect(types.filter(isHeicType)).toEqual(["image/heic", "image/heif", "image/heic-sequence"]);
});

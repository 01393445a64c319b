import sharp from "sharp";
import { expect, it } from "vitest";
import { largestInRotated } from "#domain/files/rotated-picture.ts";
import {
  askAdapter,
  buildInputFile,
  collectParts,
  fileOf,
  sha256,
} from "../../../../test/support/contracts/answer.ts";
import { heicPhoto } from "../../../../test/support/heic.ts";
import type { InputFile } from "../../adapter.ts";
import { builtin } from "../adapter.ts";

/** A picture with a red left half and a blue right half. */
const halves = async (width: number, height: number) => {
  const right = await sharp({
    create: { width: width / 2, height, channels: 3, background: "#0000ff" },
  })
    .png()
    .toBuffer();
  return sharp({ create: { width, height, channels: 3, background: "#ff0000" } }).composite([
    { input: right, left: width / 2, top: 0 },
  ]);
};
const picture = async (width = 80, height = 40) =>
  buildInputFile("a", await (await halves(width, height)).png().toBuffer());

async function edit(model: string, input: object, files: InputFile[]) {
  const parts = await collectParts(
    askAdapter(builtin, { model, task: "edit", input: { ...input }, files }),
  );
  expect(parts.at(-1)).toMatchObject({ type: "finish", costMicros: 0 });
  const file = fileOf(parts);
  const facts = await sharp(file.bytes).metadata();
  expect([facts.width, facts.height]).toEqual([file.width, file.height]);
  const { data, info } = await sharp(file.bytes).raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [
    ...data.subarray(
      (y * info.width + x) * info.channels,
      (y * info.width + x) * info.channels + 3,
    ),
  ];
  return { file, facts, at, parts };
}
const [red, blue, white] = [
  [255, 0, 0],
  [0, 0, 255],
  [255, 255, 255],
];

it("crops the named rectangle, in pixels of the upright picture", async () => {
  const { file, at } = await edit(
    "edit/crop",
    { image: "asset:a", x: 30, y: 5, width: 20, height: 10 },
    [await picture()],
  );
  expect(file).toMatchObject({ width: 20, height: 10, name: "a-crop.png", mime: "image/png" });
  expect([at(0, 0), at(9, 9), at(10, 0), at(19, 9)]).toEqual([red, red, blue, blue]);
  const lying = await (await halves(80, 40))
    .jpeg({ quality: 100, chromaSubsampling: "4:4:4" })
    .withMetadata({ orientation: 6 })
    .toBuffer();
  const upright = await edit("edit/crop", { image: "asset:a", width: 40, height: 10 }, [
    buildInputFile("a", lying, { mime: "image/jpeg", name: "photo.jpg" }),
  ]);
  expect(upright.file).toMatchObject({
    width: 40,
    height: 10,
    name: "photo-crop.jpg",
    mime: "image/jpeg",
  });
  expect(upright.facts.orientation).toBeUndefined();
});

it("straightens before cropping, and refuses a rectangle that reaches the empty corners", async () => {
  const { file, at } = await edit(
    "edit/crop",
    { image: "asset:a", angle: 10, x: 136, y: 98, width: 180, height: 160 },
    [await picture(400, 300)],
  );
  expect(file).toMatchObject({ width: 180, height: 160 });
  // The turn is clockwise: the top of the middle line moved to the right, so red reaches farther
  // there.
  expect([at(80, 4), at(100, 156)]).toEqual([red, blue]);
  expect([at(97, 4), at(80, 156)]).toEqual([red, blue]);
  const corner = { image: "asset:a", angle: 10, width: 30, height: 30 };
  await expect(edit("edit/crop", corner, [await picture(400, 300)])).rejects.toMatchObject({
    detail: { field: "angle" },
  });
});

it("a straightened picture keeps its own pixels up to the edge", async () => {
  const white = await sharp({
    create: { width: 300, height: 200, channels: 3, background: "#ffffff" },
  })
    .png()
    .toBuffer();
  const box = largestInRotated({ width: 300, height: 200 }, -7.5, 1.5);
  const input = { image: "asset:a", angle: -7.5, ...box };
  const { file } = await edit("edit/crop", input, [buildInputFile("a", white)]);
  const { channels } = await sharp(file.bytes).stats();
  expect(Math.min(...channels.map(({ min }) => min))).toBe(255);
});

it("straightens a long picture without turning all of it", async () => {
  // Turned as a whole, it would have 450 megapixels.
  const size = { width: 30_000, height: 60 };
  const long = await sharp({ create: { ...size, channels: 3, background: "#ffffff" } })
    .png()
    .toBuffer();
  const box = largestInRotated(size, 45, 1);
  const input = { image: "asset:a", angle: 45, ...box };
  const { file } = await edit("edit/crop", input, [buildInputFile("a", long)]);
  expect(file).toMatchObject({ width: box.width, height: box.height });
  const { channels } = await sharp(file.bytes).stats();
  expect(Math.min(...channels.map(({ min }) => min))).toBe(255);
});

it("edits rotated and CMYK pictures, and the first frame of animated ones", async () => {
  const terracotta = [196, 114, 74];
  const near = (pixel: number[]) =>
    pixel.every((value, channel) => Math.abs(value - terracotta[channel]!) < 24);
  const flat = sharp({ create: { width: 60, height: 40, channels: 3, background: "#c4724a" } });
  const printed = await flat.clone().toColourspace("cmyk").jpeg().toBuffer();
  expect((await sharp(printed).metadata()).space).toBe("cmyk");
  const press = buildInputFile("a", printed, { mime: "image/jpeg", name: "press.jpg" });
  for (const input of [
    { model: "edit/crop", width: 30, height: 20 },
    { model: "edit/crop", x: 20, y: 20, width: 20, height: 10, angle: 12 },
    { model: "edit/adjust", saturation: 1.01 },
  ]) {
    const { model, ...settings } = input;
    const { at, facts } = await edit(model, { image: "asset:a", ...settings }, [press]);
    expect([facts.space, near(at(4, 4))]).toEqual(["srgb", true]);
  }
  const lying = await (await halves(80, 40))
    .jpeg({ quality: 100, chromaSubsampling: "4:4:4" })
    .withMetadata({ orientation: 6 })
    .toBuffer();
  const photo = buildInputFile("a", lying, { mime: "image/jpeg", name: "photo.jpg" });
  const upright = await edit(
    "edit/crop",
    { image: "asset:a", x: 18, y: 16, width: 20, height: 60, angle: 5 },
    [photo],
  );
  const [top, bottom] = [upright.at(10, 4), upright.at(10, 56)];
  expect([top[0]! > 240, bottom[2]! > 240]).toEqual([true, true]);
  const adjusted = await edit("edit/adjust", { image: "asset:a", contrast: 1.1 }, [photo]);
  expect([adjusted.file.width, adjusted.file.height]).toEqual([40, 80]);
  const frame = (background: string) =>
    sharp({ create: { width: 20, height: 20, channels: 3, background } })
      .png()
      .toBuffer();
  const animation = await sharp([await frame("#ff0000"), await frame("#0000ff")], {
    join: { animated: true },
  })
    .webp({ lossless: true })
    .toBuffer();
  const still = await edit("edit/crop", { image: "asset:a", width: 10, height: 10 }, [
    buildInputFile("a", animation, { mime: "image/webp", name: "wave.webp" }),
  ]);
  expect([still.facts.pages ?? 1, still.at(5, 5)[0]! > 240]).toEqual([1, true]);
});

it("edits a 16-bit picture, a single pixel and a flat strip of 20,000 by 10", async () => {
  const flat = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: "#c4724a" } });
  const deep = await flat(60, 40).toColourspace("rgb16").png().toBuffer();
  for (const [bytes, model, settings, [width, height]] of [
    [deep, "edit/crop", { width: 30, height: 20 }, [30, 20]],
    [deep, "edit/adjust", { brightness: 1.001 }, [60, 40]],
    [await flat(1, 1).png().toBuffer(), "edit/crop", { width: 1, height: 1 }, [1, 1]],
    [await flat(1, 1).png().toBuffer(), "edit/adjust", { hue: 90 }, [1, 1]],
    [await flat(1, 1).png().toBuffer(), "edit/rotate", {}, [1, 1]],
    [
      await flat(20_000, 10).png().toBuffer(),
      "edit/crop",
      { width: 20_000, height: 5 },
      [20_000, 5],
    ],
    [await flat(20_000, 10).png().toBuffer(), "edit/rotate", {}, [10, 20_000]],
    [await flat(20_000, 10).png().toBuffer(), "edit/resize", { width: 400 }, [400, 1]],
  ] as const) {
    const edited = await edit(model, { image: "asset:a", ...settings }, [
      buildInputFile("a", bytes),
    ]);
    expect([edited.file.width, edited.file.height]).toEqual([width, height]);
    if (model !== "edit/adjust") expect(edited.at(0, 0)).toEqual([196, 114, 74]);
  }
});

it("refuses a HEIC photo by name and says what to do", async () => {
  await expect(
    edit("edit/crop", { image: "asset:a", width: 10, height: 10 }, [
      buildInputFile("a", heicPhoto, { mime: "image/heic", name: "IMG_1.heic" }),
    ]),
  ).rejects.toThrow(/IMG_1\.heic is a HEIC photo.*Export it as JPEG/);
});

it("refuses a crop outside the picture and names the side", async () => {
  const file = await picture();
  await expect(
    edit("edit/crop", { image: "asset:a", x: 70, width: 20, height: 10 }, [file]),
  ).rejects.toMatchObject({
    code: "provider_invalid_input",
    detail: { field: "width" },
  });
  await expect(
    edit("edit/crop", { image: "asset:a", y: 40, width: 20, height: 10 }, [file]),
  ).rejects.toThrow(/80 x 40 pixels.*bottom edge/);
});

it("resizes by one side or both, in each fit mode", async () => {
  const size = async (input: object) => {
    const { file } = await edit("edit/resize", { image: "asset:a", ...input }, [await picture()]);
    return [file.width, file.height];
  };
  expect(await size({ width: 40 })).toEqual([40, 20]);
  expect(await size({ height: 80 })).toEqual([160, 80]);
  expect(await size({ width: 50, height: 50 })).toEqual([50, 25]);
  expect(await size({ width: 50, height: 50, fit: "cover" })).toEqual([50, 50]);
  expect(await size({ width: 50, height: 50, fit: "contain" })).toEqual([50, 50]);
  await expect(size({})).rejects.toMatchObject({ detail: { field: "width" } });
  await expect(size({ height: 16_000 })).rejects.toMatchObject({ detail: { field: "height" } });
});

it("mirrors first, then turns clockwise", async () => {
  const turned = await edit("edit/rotate", { image: "asset:a" }, [await picture()]);
  expect([turned.file.width, turned.file.height, turned.at(5, 5), turned.at(5, 75)]).toEqual([
    40,
    80,
    red,
    blue,
  ]);
  const both = await edit("edit/rotate", { image: "asset:a", flip: "horizontal" }, [
    await picture(),
  ]);
  expect([both.at(5, 5), both.at(5, 75)]).toEqual([blue, red]);
  const askew = await edit("edit/rotate", { image: "asset:a", angle: 45 }, [await picture()]);
  expect([askew.at(0, 0), askew.file.width! > 80]).toEqual([white, true]);
});

it("converts to every format and strips the metadata", async () => {
  const photo = await (await halves(80, 40))
    .jpeg()
    .withExif({ IFD3: { GPSLatitudeRef: "N" } })
    .toBuffer();
  const file = buildInputFile("a", photo, { mime: "image/jpeg" });
  for (const format of ["png", "jpeg", "webp", "avif"]) {
    const { file: output, facts } = await edit("edit/convert", { image: "asset:a", format }, [
      file,
    ]);
    expect([output.mime, facts.format]).toEqual([
      `image/${format}`,
      format === "avif" ? "heif" : format,
    ]);
    expect(facts.exif).toBeUndefined();
  }
});

it("fills transparent areas with a background if the format has no transparency", async () => {
  const clear = await sharp({
    create: { width: 20, height: 20, channels: 4, background: "#00000000" },
  })
    .png()
    .toBuffer();
  const { at } = await edit(
    "edit/convert",
    { image: "asset:a", format: "jpeg", quality: 100, background: "#ff0000" },
    [buildInputFile("a", clear)],
  );
  expect(at(10, 10)[0]).toBeGreaterThan(250);
  expect(at(10, 10)[1]).toBeLessThan(5);
});

it("adjusts light and color, each setting on its own", async () => {
  const adjust = async (input: object) =>
    (await edit("edit/adjust", { image: "asset:a", ...input }, [await picture()])).at(5, 5);
  expect(await adjust({})).toEqual(red);
  expect((await adjust({ brightness: 0.5 }))[0]).toBeLessThan(200);
  expect(new Set(await adjust({ grayscale: true })).size).toBe(1);
  expect(await adjust({ contrast: 0 })).toEqual([128, 128, 128]);
  expect(await adjust({ hue: 120 })).not.toEqual(red);
  await expect(adjust({ blur: 0.1 })).rejects.toMatchObject({ detail: { field: "blur" } });
});

it("joins pictures in a row, column or grid without enlarging any", async () => {
  const files = [
    await picture(80, 40),
    buildInputFile(
      "b",
      await sharp({ create: { width: 40, height: 80, channels: 3, background: "#00ff00" } })
        .png()
        .toBuffer(),
    ),
  ];
  const images = ["asset:a", "asset:b"];
  const row = await edit("edit/join", { images, gap: 10 }, files);
  expect([row.file.width, row.file.height]).toEqual([80 + 10 + 20, 40]);
  expect([row.at(5, 20), row.at(85, 20), row.at(100, 20)]).toEqual([red, white, [0, 255, 0]]);
  const column = await edit("edit/join", { images, layout: "column" }, files);
  expect([column.file.width, column.file.height]).toEqual([40, 20 + 80]);
  const grid = await edit(
    "edit/join",
    { images: [...images, "asset:a"], layout: "grid", gap: 4, background: "#000000" },
    files,
  );
  expect([grid.file.width, grid.file.height, grid.at(60, 60)]).toEqual([84, 84, [0, 0, 0]]);
});

it("gives the same bytes for the same edit", async () => {
  const input = { image: "asset:a", saturation: 0.5, sharpen: 2 };
  const [one, two] = [
    await edit("edit/adjust", input, [await picture()]),
    await edit("edit/adjust", input, [await picture()]),
  ];
  expect(sha256(one.file.bytes)).toBe(sha256(two.file.bytes));
});

it("names the picture that is damaged, missing, a drawing or too large", async () => {
  const good = await picture();
  const broken = buildInputFile("b", new TextEncoder().encode("no picture"), {
    name: "holiday.png",
  });
  const join = (second: InputFile) =>
    edit("edit/join", { images: ["asset:a", "asset:b"] }, [good, second]);
  await expect(join(broken)).rejects.toMatchObject({
    code: "provider_invalid_input",
    detail: { field: "images.1", message: expect.stringContaining("holiday.png") },
  });
  const bytes = await (await halves(800, 400)).png().toBuffer();
  await expect(
    edit("edit/convert", { image: "asset:a" }, [
      buildInputFile("a", bytes.subarray(0, bytes.byteLength >> 1)),
    ]),
  ).rejects.toMatchObject({ detail: { field: "image" } });
  await expect(
    edit("edit/crop", { image: "asset:gone", width: 1, height: 1 }, [good]),
  ).rejects.toThrow(/no longer available/);
  await expect(
    edit("edit/convert", { image: "asset:a" }, [
      buildInputFile("a", bytes, { mime: "image/svg+xml" }),
    ]),
  ).rejects.toThrow(/SVG/);
  const vast = await sharp({
    create: { width: 12_000, height: 9_000, channels: 3, background: "#888" },
  })
    .png({ compressionLevel: 9 })
    .toBuffer();
  await expect(
    edit("edit/resize", { image: "asset:a", width: 10 }, [buildInputFile("a", vast)]),
  ).rejects.toThrow(/12000 x 9000 pixels/);
});

it("starts nothing if it was canceled before", async () => {
  const signal = AbortSignal.abort(new Error("too late"));
  await expect(
    collectParts(
      askAdapter(builtin, {
        model: "edit/crop",
        input: { image: "asset:a", width: 1, height: 1 },
        files: [await picture()],
        signal,
      }),
    ),
  ).rejects.toThrow("too late");
});

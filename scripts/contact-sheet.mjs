// Draws docs/pattern-contact-sheet.webp: every kind of the built-in "pattern" model with six seeds.
// Run it with Node 24: node scripts/contact-sheet.mjs [file] [first seed]
import { writeFile } from "node:fs/promises";
import sharp from "sharp";
import { designPattern } from "../src/providers/builtin/pattern/design.ts";
import { kindNames } from "../src/providers/builtin/pattern/kinds/index.ts";
import { paintPicture } from "../src/providers/builtin/pattern/paint.ts";

const file = process.argv[2] ?? new URL("../docs/pattern-contact-sheet.webp", import.meta.url);
const firstSeed = Number(process.argv[3] ?? 1);
const columns = 6;
const cell = { width: 384, height: 288 };
const gap = 12;

const pictures = [];
for (const [row, style] of kindNames.entries()) {
  for (let column = 0; column < columns; column++) {
    const size = { width: cell.width * 2, height: cell.height * 2 };
    const seed = firstSeed + row * columns + column;
    const design = designPattern({
      prompt: "",
      ...size,
      seed,
      style,
      palette: "auto",
      density: "auto",
    });
    const picture = await paintPicture(design, size, seed, async () => {});
    const input = await sharp(picture).resize(cell).toBuffer();
    pictures.push({
      input,
      left: gap + column * (cell.width + gap),
      top: gap + row * (cell.height + gap),
    });
  }
}
const width = gap + columns * (cell.width + gap);
const height = gap + kindNames.length * (cell.height + gap);
const sheet = sharp({ create: { width, height, channels: 3, background: "#f4f2ee" } }).composite(
  pictures,
);
await writeFile(file, await sheet.webp({ quality: 82 }).toBuffer());
process.stdout.write(`${pictures.length} pictures, ${width} x ${height}\n`);

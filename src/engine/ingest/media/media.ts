import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import type { BlobStore } from "#blobs/blob-store.ts";
import type { Provenance } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Modality } from "#contract/tasks.ts";
import { createGate } from "../../threads/gate.ts";
import { createWorkerPool, WorkerLost } from "../../threads/worker-pool.ts";
import { type Ffmpeg, findFfmpeg } from "./ffmpeg.ts";
import { withLocalFile } from "./local-file.ts";
import type { MediaResult, MediaTask } from "./media-worker.ts";
import type { PictureResult } from "./picture.ts";
import {
  posterVariant,
  posterWidth,
  thumbVariant,
  thumbWidths,
  waveformPeaks,
  waveformVariant,
} from "./variants.ts";

/**
 * Sizes in pixels as displayed, duration in milliseconds, thumbhash as base64; null if absent or
 * unknown.
 */
export type MediaFacts = {
  width: number | null;
  height: number | null;
  durationMs: number | null;
  thumbhash: string | null;
  /** The perceptual hash of a picture or a video's poster. */
  phash: string | null;
  /** Names of the derived files stored with the blob. */
  variants: string[];
  /** The file's own statement of its origin, not verified. */
  provenance: Provenance | null;
};

export type Media = {
  /**
   * Reads a stored file and stores its thumbnails, poster and waveform. Repeating it with the same
   * bytes gives the same result.
   * @throws Problem too_large or unsupported_media for a picture, video or audio file that can't be
   *   read
   * @throws Problem unavailable if too many files are waiting, not_found for an unknown hash
   */
  describe(sha256: string, sniffed: { mime: string; kind: Modality }): Promise<MediaFacts>;
  /** The perceptual hash of a stored picture or video, from its thumbnail; null without one. */
  hash(sha256: string): Promise<string | null>;
  /**
   * Redraws an untrusted picture: its first frame as WebP, with none of its bytes.
   * @throws as `describe` does for a picture
   */
  redraw(bytes: Uint8Array): Promise<Uint8Array>;
  /**
   * Undefined without ffmpeg; videos then have no posters and audio other than WAV no waveforms.
   */
  ffmpegVersion(): Promise<string | undefined>;
  close(): Promise<void>;
};

/**
 * Formats that are read. SVG isn't among them, because it is a document that can refer to files and
 * render forever.
 */
const readablePictures = new Set([
  "image/jpeg",
  "image/png",
  "image/apng",
  "image/webp",
  "image/gif",
  "image/avif",
  "image/tiff",
]);

/**
 * Formats searched for content credentials. They include formats that aren't drawn, because the
 * search needs no decoder.
 */
const readableOrigins = new Set([
  "image/jpeg",
  "image/png",
  "image/apng",
  "image/webp",
  "image/avif",
  "image/heic",
  "image/heif",
  "video/mp4",
  "video/quicktime",
  "audio/mp4",
  "audio/wav",
]);

/** What a file of an unknown kind, or one that can't be read, tells about itself. */
export function noFacts(): MediaFacts {
  return {
    width: null,
    height: null,
    durationMs: null,
    thumbhash: null,
    phash: null,
    variants: [],
    provenance: null,
  };
}

/** The width of a redrawn picture, which no screen exceeds. */
const redrawnWidth = 2_048;

const atOnce = Math.max(1, Math.min(4, availableParallelism() - 1));
const maxReadMs = 60_000;

/** The threads that read pictures and audio. */
export const createMediaThreads = (timeLimitMs = maxReadMs) =>
  createWorkerPool<MediaTask, MediaResult>({
    file: new URL("./media-worker.ts", import.meta.url),
    size: atOnce,
    waitingMost: 256,
    timeLimitMs,
    idleMs: 30_000,
    memoryMegabytes: 256,
  });

/**
 * Creates the reader of media files. `ffmpegPath` is the program, by default "ffmpeg" on the PATH.
 * `scratchFolder` is an existing folder for ffmpeg's input and output; a large video from S3 has to
 * fit, so pass <data>/blobs/tmp, which is swept at the start. `threads` belong to the caller, who
 * closes them.
 */
export function createMedia(options: {
  blobs: BlobStore;
  ffmpegPath?: string;
  scratchFolder?: string;
  threads?: ReturnType<typeof createMediaThreads>;
  readTimeLimitMs?: number;
  ffmpegTimeLimitMs?: number;
}): Media {
  const {
    blobs,
    scratchFolder = tmpdir(),
    readTimeLimitMs = maxReadMs,
    ffmpegTimeLimitMs = 180_000,
  } = options;
  const pool = options.threads ?? createMediaThreads(readTimeLimitMs);
  const ffmpegGate = createGate({ atOnce, waitingMost: 256 });
  let finding: Promise<Ffmpeg | undefined> | undefined;
  const ffmpeg = () => (finding ??= findFfmpeg(options.ffmpegPath || "ffmpeg", ffmpegTimeLimitMs));

  async function readPicture(
    source: string | Uint8Array,
    widths: number[],
  ): Promise<PictureResult> {
    // libvips stops itself shortly before its thread is terminated, which isn't possible inside
    // native code.
    const timeLimitMs = readTimeLimitMs * 0.8;
    const task: MediaTask = {
      kind: "picture",
      source,
      pixelsMost: limits.imagePixels,
      sideMost: limits.imageSidePixels,
      widths,
      timeLimitMs,
    };
    return (await pool.run(task).catch(explainLoss)) as PictureResult;
  }

  async function storeThumbs(sha256: string, picture: PictureResult): Promise<string[]> {
    const names = thumbWidths.map(thumbVariant);
    for (const [index, name] of names.entries())
      await blobs.putVariant(sha256, name, picture.scaled[index]!.bytes);
    return names;
  }

  async function storeWaveform(sha256: string, peaks: number[]): Promise<string> {
    await blobs.putVariant(
      sha256,
      waveformVariant,
      new TextEncoder().encode(JSON.stringify(peaks)),
    );
    return waveformVariant;
  }

  async function describePicture(sha256: string, path: string): Promise<MediaFacts> {
    const picture = await readPicture(path, [...thumbWidths]);
    const { width, height, thumbhash, phash } = picture;
    const variants = await storeThumbs(sha256, picture);
    return { ...noFacts(), width, height, thumbhash, phash, variants };
  }

  async function describeFilm(sha256: string, path: string, scratch: string): Promise<MediaFacts> {
    const program = await ffmpeg();
    if (!program) return noFacts();
    const film = await program.probe(path);
    if (film === "unreadable") throw unreadable("film");
    if (film === "stopped") return noFacts();
    const facts: MediaFacts = { ...noFacts(), durationMs: film.durationMs };
    const sound = film.hasAudio ? await program.readSound(path, waveformPeaks) : undefined;
    if (sound) facts.variants.push(await storeWaveform(sha256, sound.peaks));
    facts.durationMs ??= sound?.durationMs ?? null;
    const png = join(scratch, "frame.png");
    if (!film.hasVideo || !(await writePoster(program, path, png, film.durationMs ?? 0)))
      return facts;
    const poster = await readPicture(png, [...thumbWidths, posterWidth]);
    await blobs.putVariant(sha256, posterVariant, poster.scaled.at(-1)!.bytes);
    const variants = [...facts.variants, ...(await storeThumbs(sha256, poster)), posterVariant];
    return {
      ...facts,
      width: poster.width,
      height: poster.height,
      thumbhash: poster.thumbhash,
      phash: poster.phash,
      variants,
    };
  }

  async function describeSound(sha256: string, path: string, mime: string): Promise<MediaFacts> {
    const ours =
      mime === "audio/wav"
        ? await pool.run({ kind: "sound", path, peaks: waveformPeaks }).catch(explainLoss)
        : null;
    const sound =
      (ours as { durationMs: number; peaks: number[] } | null) ??
      (await ffmpegGate.run(() => decodeSound(path)));
    if (!sound) return noFacts();
    return {
      ...noFacts(),
      durationMs: sound.durationMs,
      variants: [await storeWaveform(sha256, sound.peaks)],
    };
  }

  async function decodeSound(path: string) {
    const program = await ffmpeg();
    if (!program) return undefined;
    if ((await program.probe(path)) === "unreadable") throw unreadable("recording");
    return program.readSound(path, waveformPeaks);
  }

  /**
   * Content credentials matter less than the file: if the search fails, the file is saved without
   * them.
   */
  const findProvenance = (path: string): Promise<Provenance | null> =>
    pool.run({ kind: "provenance", path }).then(
      (found) => found as Provenance | null,
      () => null,
    );

  return {
    async describe(sha256, { mime, kind }) {
      const isFilm = kind === "video";
      const isSound = kind === "audio";
      const isPicture = kind === "image" && readablePictures.has(mime);
      const hasOrigin = readableOrigins.has(mime);
      if (!isFilm && !isSound && !isPicture && !hasOrigin) return noFacts();
      const work = () =>
        withLocalFile(blobs, sha256, scratchFolder, async (path, scratch) => {
          let facts = noFacts();
          if (isFilm) facts = await describeFilm(sha256, path, scratch);
          if (isSound) facts = await describeSound(sha256, path, mime);
          if (isPicture) facts = await describePicture(sha256, path);
          return hasOrigin ? { ...facts, provenance: await findProvenance(path) } : facts;
        });
      return isFilm ? ffmpegGate.run(work) : work();
    },
    async hash(sha256) {
      const bytes = await blobs.getVariant(sha256, thumbVariant(thumbWidths[0]));
      return bytes ? ((await pool.run({ kind: "hash", bytes })) as string | null) : null;
    },
    async redraw(bytes) {
      const { scaled } = await readPicture(bytes, [redrawnWidth]);
      return scaled[0]!.bytes;
    },
    ffmpegVersion: async () => (await ffmpeg())?.version,
    async close() {
      ffmpegGate.close();
      await Promise.all([
        options.threads ? undefined : pool.close(),
        finding?.then((program) => program?.close()),
      ]);
    },
  };
}

/**
 * Writes a frame near the start, because many videos begin with black, or the first frame if that
 * is beyond the end.
 */
async function writePoster(
  program: Ffmpeg,
  path: string,
  png: string,
  durationMs: number,
): Promise<boolean> {
  const atMs = Math.min(1_000, durationMs / 10);
  return (
    (await program.writeFrame(path, atMs, png)) ||
    (atMs > 0 && (await program.writeFrame(path, 0, png)))
  );
}

function unreadable(what: string): Problem {
  return new Problem("unsupported_media", {
    field: "file",
    message: sentences.files.damaged({ kind: what }),
  });
}

function explainLoss(error: unknown): never {
  if (!(error instanceof WorkerLost)) throw error;
  if (error.reason === "closed") throw new Problem("unavailable", {}, { cause: error });
  const what = error.reason === "too-long" ? "too much time" : "too much memory";
  throw new Problem(
    "unsupported_media",
    { field: "file", message: sentences.files.readingStopped({ amount: what }) },
    { cause: error },
  );
}

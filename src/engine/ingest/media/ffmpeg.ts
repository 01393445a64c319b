import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { Problem } from "#contract/errors.ts";
import { createPeaks } from "./peaks.ts";

/**
 * The facts that ffmpeg reports of a file. `durationMs` is null if the container doesn't state it.
 */
type FilmFacts = { durationMs: number | null; hasVideo: boolean; hasAudio: boolean };

export type Ffmpeg = {
  version: string;
  /**
   * "unreadable": damaged, truncated, or of a kind that ffmpeg isn't allowed to open. "stopped": it
   * took too long or crashed.
   */
  probe(path: string): Promise<FilmFacts | "unreadable" | "stopped">;
  /**
   * Writes one frame as an upright PNG with square pixels. False if there is none.
   * @throws Problem storage_full
   */
  writeFrame(path: string, atMs: number, pngPath: string): Promise<boolean>;
  /** Decodes the first audio track. Undefined if it can't be decoded. */
  readSound(
    path: string,
    peaks: number,
  ): Promise<{ durationMs: number; peaks: number[] } | undefined>;
  close(): void;
};

const soundRate = 8_000;
const maxStderr = 256 * 1024;

/**
 * A playlist or concat script, under any name, would make ffmpeg open other files and addresses.
 * Only self-contained formats and the file protocol are allowed.
 */
const formats = "mov,matroska,mp3,wav,w64,aiff,flac,ogg,aac,avi,mpeg,mpegts,flv,amr,asf";
const inputOptions = ["-threads", "1", "-protocol_whitelist", "file", "-format_whitelist", formats];

/**
 * Looks for the program once. Undefined if there is none; posters and waveforms are then omitted.
 */
export async function findFfmpeg(
  command: string,
  timeLimitMs: number,
): Promise<Ffmpeg | undefined> {
  const children = new Set<ReturnType<typeof spawn>>();

  /**
   * Standard output goes to `onOutput`. The exit code is null if the process was killed or couldn't
   * start.
   */
  async function run(
    args: string[],
    onOutput: (chunk: Buffer) => void = () => {},
  ): Promise<{ code: number | null; stderr: string }> {
    const child = spawn(command, ["-hide_banner", "-nostdin", ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: childEnv(),
    });
    children.add(child);
    const timer = setTimeout(() => child.kill("SIGKILL"), timeLimitMs);
    let stderr = "";
    child.stdout.on("data", onOutput);
    child.stderr.on("data", (chunk: Buffer) => {
      if (stderr.length < maxStderr) stderr += chunk.toString("utf8");
    });
    const code = await new Promise<number | null>((resolve) => {
      child.once("error", () => resolve(null));
      child.once("close", resolve);
    });
    clearTimeout(timer);
    children.delete(child);
    return { code, stderr };
  }

  let errorOutput = "";
  const found = await run(["-version"], (chunk) => {
    errorOutput += chunk.toString("utf8");
  });
  if (found.code !== 0) return undefined;

  return {
    version: /^ffmpeg version (\S+)/.exec(errorOutput)?.[1] ?? "unknown",
    async probe(path) {
      // Without an output, ffmpeg only describes the input and exits with 1.
      const { code, stderr } = await run([...inputOptions, "-i", `file:${path}`]);
      return readFacts(stderr) ?? (code === null ? "stopped" : "unreadable");
    },
    async writeFrame(path, atMs, pngPath) {
      const seek = ["-ss", (atMs / 1_000).toFixed(3)];
      const frame = [
        "-map",
        "0:v:0",
        "-frames:v",
        "1",
        "-vf",
        "scale=max(1\\,trunc(iw*sar+0.5)):ih,setsar=1",
        "-f",
        "image2",
        "-c:v",
        "png",
      ];
      const { code, stderr } = await run([
        ...seek,
        ...inputOptions,
        "-i",
        `file:${path}`,
        ...frame,
        "-y",
        `file:${pngPath}`,
      ]);
      if (code !== 0 && /No space left on device|Disk quota exceeded/.test(stderr))
        throw new Problem("storage_full");
      // Beyond the last frame, ffmpeg succeeds and writes nothing.
      if (code !== 0 || /Output file is empty/.test(stderr)) return false;
      // ffmpeg 4.1 (2018) also succeeds on a full disk with half a picture, because it never checks
      // its last write.
      if (!(await isWholePng(pngPath))) throw new Problem("storage_full");
      return true;
    },
    async readSound(path, peaksWanted) {
      const peaks = createPeaks(peaksWanted);
      let odd: Buffer = Buffer.alloc(0);
      const output = [
        "-map",
        "0:a:0",
        "-ac",
        "1",
        "-ar",
        String(soundRate),
        "-f",
        "s16le",
        "pipe:1",
      ];
      const { code } = await run([...inputOptions, "-i", `file:${path}`, ...output], (chunk) => {
        const bytes = odd.length > 0 ? Buffer.concat([odd, chunk]) : chunk;
        for (let offset = 0; offset + 1 < bytes.length; offset += 2)
          peaks.add(bytes.readInt16LE(offset) / 32_768);
        odd = bytes.subarray(bytes.length - (bytes.length % 2));
      });
      if (code !== 0 || peaks.count() === 0) return undefined;
      return { durationMs: Math.round((peaks.count() * 1_000) / soundRate), peaks: peaks.read() };
    },
    close() {
      for (const child of children) child.kill("SIGKILL");
    },
  };
}

/** Whether the file ends with the chunk that ends every PNG. */
async function isWholePng(path: string): Promise<boolean> {
  const handle = await open(path, "r");
  try {
    const end = Buffer.alloc(8);
    await handle.read(end, 0, end.length, Math.max(0, (await handle.stat()).size - end.length));
    return end.toString("latin1", 0, 4) === "IEND";
  } finally {
    await handle.close();
  }
}

/**
 * ffmpeg reads untrusted files, so it inherits only the environment that a program needs to start.
 */
function childEnv(): Record<string, string | undefined> {
  const { PATH, LD_LIBRARY_PATH, DYLD_LIBRARY_PATH, SystemRoot } = process.env;
  return { PATH, LD_LIBRARY_PATH, DYLD_LIBRARY_PATH, SystemRoot };
}

/**
 * Matches lines at their own indentation only, because ffmpeg also prints a file's tags, indented
 * further.
 */
function readFacts(stderr: string): FilmFacts | undefined {
  const duration = /^ {2}Duration: (?:(\d+):(\d\d):(\d\d(?:\.\d+)?)|N\/A)/m.exec(stderr);
  if (!duration) return undefined;
  const [hours, minutes, seconds] = duration.slice(1).map(Number) as [number, number, number];
  const streams = [...stderr.matchAll(/^ {2,4}Stream #0:.*?: (Video|Audio): (.*)$/gm)];
  return {
    durationMs:
      duration[1] === undefined
        ? null
        : Math.round(((hours * 60 + minutes) * 60 + seconds) * 1_000),
    hasVideo: streams.some(
      (stream) => stream[1] === "Video" && !stream[2]!.includes("(attached pic)"),
    ),
    hasAudio: streams.some((stream) => stream[1] === "Audio"),
  };
}

import { join } from "node:path";

/**
 * A program that doesn't exist, so that results don't depend on whether this machine has ffmpeg;
 * media.test.ts reads files with the package's.
 */
export const noFfmpeg = join(import.meta.dirname, "no-ffmpeg");

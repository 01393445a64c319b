import { parseArgs } from "node:util";
import { fetch as undiciFetch } from "undici";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { readSettings, type Settings, SettingsError } from "#server/settings.ts";
import { CopyError } from "#store/database/copy-sqlite.ts";
import { StartError } from "#store/database/migrate.ts";
import { backup } from "./backup.ts";
import { CommandError } from "./backup-format.ts";
import { runModel } from "./client/run-model.ts";
import type { RunSurroundings, Surroundings } from "./client/surroundings.ts";
import { doctor } from "./doctor.ts";
import { restore } from "./restore.ts";
import { rotateKey } from "./rotate-key.ts";
import { takeOver } from "./take-over.ts";

const flag = { type: "boolean", default: false } as const;
const options = {
  "data-folder": { type: "string" },
  "with-key": flag,
  keep: { type: "string" },
  at: { type: "string" },
  replace: flag,
  "without-key": flag,
  "skip-damaged": flag,
  deep: flag,
  mend: flag,
  "remove-strays": flag,
  retire: flag,
  json: flag,
} as const;

export const usage = `Bottega's commands. Without one, the server is started.

  run <model>        Make something with a model, over the API of a Bottega: bottega run <connection/model> "a prompt".
                     BOTTEGA_URL and BOTTEGA_API_KEY say which one, and with which key. "bottega run" says the rest.
  backup <folder>    Copy database and files, while the server works. Into the folder of an earlier backup only what is new is copied.
      --with-key         put the master key in as well
      --deep             read every file of the earlier backup too and check its hash, not only those changed since
      --keep <n>         keep that many backups in the folder, this one included; they share their files. Without it, as many
                         as the folder has, or as daily backups keep there
  restore <folder>   Put a backup into an empty data folder (or an empty PostgreSQL database, or a bucket). Stop the server first.
      --at <time>        one of several backups in the folder, such as 2026-11-26; without it, the newest
      --replace          replace the database that is there
      --without-key      the master key is lost: remove what was sealed with it
      --skip-damaged     leave out files that are damaged in the backup
  doctor             Check that the books add up and every file is there, while the server works. Changes nothing.
      --deep             read every file and check its hash
      --mend             repair what can be recomputed: balances, usage, rows of existing files
      --remove-strays    delete the files that no row names
      --json             the report as JSON
  rotate-key         Make a new version of the master key and wrap every stored secret with it, while the server works.
      --retire           remove the older versions, once no secret needs them
  take-over          Make the files in the storage this database's own, after a restore or a move. Stop the other server first.

  --data-folder <folder>   in place of BOTTEGA_DATA. The other settings are the server's own environment variables.

It ends with 0 when all is well, with 1 when something was found or not done, and with 2 when it could not run at all.`;

type Given = ReturnType<typeof parse>;
const parse = (args: string[]) => parseArgs({ args, options, allowPositionals: true });

type Command = {
  flags: readonly (keyof typeof options)[];
  folder: boolean;
  /** The command's target, for the message that it is full. */
  target?(settings: Settings, folder: string): string;
  run(
    settings: Settings,
    folder: string,
    given: Given["values"],
    say: Surroundings["say"],
  ): Promise<number>;
};

/** @throws SettingsError for text that isn't a number of backups */
function readKeep(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const keep = Number(text);
  if (Number.isInteger(keep) && keep >= 1 && keep <= limits.backupsKept) return keep;
  throw new SettingsError(`--keep must be a number from 1 to ${limits.backupsKept}.`);
}

const commands: Record<string, Command> = {
  backup: {
    flags: ["with-key", "deep", "keep"],
    folder: true,
    target: (_settings, folder) => folder,
    run: (settings, folder, given, say) =>
      backup(
        settings,
        folder,
        { withKey: given["with-key"], deep: given.deep, keep: readKeep(given.keep) },
        say,
      ),
  },
  restore: {
    flags: ["replace", "without-key", "skip-damaged", "at"],
    folder: true,
    target: ({ dataFolder }) => dataFolder,
    run: (settings, folder, given, say) =>
      restore(
        settings,
        folder,
        {
          replace: given.replace,
          withoutKey: given["without-key"],
          skipDamaged: given["skip-damaged"],
          at: given.at,
        },
        say,
      ),
  },
  doctor: {
    flags: ["deep", "mend", "remove-strays", "json"],
    folder: false,
    run: (settings, _, given, say) =>
      doctor(settings, { ...given, removeStrays: given["remove-strays"] }, say),
  },
  "rotate-key": {
    flags: ["retire"],
    folder: false,
    run: (settings, _, { retire }, say) => rotateKey(settings, { retire }, say),
  },
  "take-over": {
    flags: [],
    folder: false,
    run: (settings, _, _given, say) => takeOver(settings, say),
  },
};

/**
 * Runs `bottega <command>`.
 * @returns the process's exit code
 */
export async function runCommand(
  name: string,
  args: string[],
  surroundings: Surroundings & Pick<RunSurroundings, "confirm">,
): Promise<number> {
  const { env, say, tell } = surroundings;
  if (name === "run")
    return runModel(args, {
      ...surroundings,
      fetch: undiciFetch as unknown as typeof globalThis.fetch,
    });
  const command = commands[name];
  if (!command) {
    say(usage);
    return 0;
  }
  let target: string | undefined;
  try {
    const { values, positionals } = parse(args);
    const foreign = Object.entries(values).find(
      ([key, value]) =>
        value && key !== "data-folder" && !command.flags.includes(key as keyof typeof options),
    );
    if (foreign) throw new SettingsError(`${name} does not know --${foreign[0]}.`);
    if (positionals.length !== (command.folder ? 1 : 0))
      throw new SettingsError(
        command.folder
          ? `The folder is missing: bottega ${name} <folder>.`
          : `bottega ${name} takes no folder; the data folder is --data-folder.`,
      );
    const folder = values["data-folder"];
    const settings = readSettings(
      { ...env, ...(folder !== undefined && { BOTTEGA_DATA: folder }) },
      [],
    );
    target = command.target?.(settings, positionals[0] ?? "");
    return await command.run(settings, positionals[0] ?? "", values, say);
  } catch (error) {
    tell(sentenceOf(error, target));
    return error instanceof CommandError ||
      error instanceof CopyError ||
      error instanceof Problem ||
      isStorage(error)
      ? 1
      : 2;
  }
}

const storage: Record<string, string> = {
  ENOSPC: "The disk is full",
  EDQUOT: "The disk is full",
  EACCES: "This user may not read or write there",
  EPERM: "This user may not read or write there",
  EROFS: "It can't be written to",
  EIO: "The disk failed",
  ENOENT: "It is not there",
  ENOTDIR: "It is a file, and not a folder",
  EFBIG: "A file is larger than this disk takes",
  "53100": "The disk of PostgreSQL is full",
};
/** Only for writes: an error names the file that was read, or none. */
const full = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";
/** SQLite's primary codes for a full disk, an I/O error, a file that can't be opened. */
const sqliteCodes: Record<number, string> = { 13: "ENOSPC", 10: "EIO", 14: "EACCES" };
const storageCode = (error: unknown): string => {
  if (error instanceof Problem) return error.cause === undefined ? "" : storageCode(error.cause);
  return error instanceof Error && "errcode" in error
    ? (sqliteCodes[Number(error.errcode) & 0xff] ?? "")
    : codeOf(error);
};
const isStorage = (error: unknown): boolean => storageCode(error) in storage;

function sentenceOf(error: unknown, target: string | undefined): string {
  const code = storageCode(error);
  if (code in storage) {
    const path = full.has(code) ? target : (error as { path?: string }).path;
    return `${storage[code]}${path ? `: ${path}` : ""}. The unfinished part is not valid.`;
  }
  const known = [CommandError, CopyError, StartError, SettingsError, Problem].some(
    (kind) => error instanceof kind,
  );
  if (known || codeOf(error).startsWith("ERR_PARSE_ARGS")) return (error as Error).message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

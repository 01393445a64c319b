import { constants } from "node:fs";
import { access, readFile } from "node:fs/promises";
import type { Asset } from "#contract/entities.ts";
import type { ApiClient } from "./api-client.ts";
import { CannotAsk } from "./problems.ts";
import type { RunArguments } from "./run-arguments.ts";

/**
 * A command's uploads to the library: each file once, and removed again if nothing is made with
 * them.
 */
export function createUploads(api: ApiClient, projectId: string, files: RunArguments["files"]) {
  const sent: Asset[] = [];
  return {
    /** @throws CannotAsk for an unreadable file, before any is uploaded */
    async check(): Promise<void> {
      for (const { path } of files)
        await access(path, constants.R_OK).catch((cause) => {
          throw unreadable(path, cause);
        });
    },
    async upload(): Promise<readonly Asset[]> {
      for (const { path, name } of files.slice(sent.length))
        sent.push(await api.upload(projectId, name, await readGiven(path)));
      return sent;
    },
    async moveToTrash(): Promise<void> {
      if (sent.length > 0)
        await api.moveToTrash(
          projectId,
          sent.map(({ id }) => id),
        );
    },
  };
}
export type Uploads = ReturnType<typeof createUploads>;

const unreadable = (path: string, cause: NodeJS.ErrnoException): CannotAsk =>
  new CannotAsk(`${path} can't be read (${cause.code}).`, { cause });

/** @throws CannotAsk */
export async function readGiven(path: string): Promise<Buffer> {
  return readFile(path).catch((cause) => {
    throw unreadable(path, cause);
  });
}

import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { refused, type S3Client } from "./s3-client.ts";
import { onDisk, systemCode } from "./storage-problem.ts";

/** The owner of the files, recorded in the storage. `renewedAt`: ms since 1970 by the owner's clock; null once the owner has stopped. */
type OwnerMark = { nonce: string; renewedAt: number | null };
/** A mark that was read, with its version. */
export type FoundMark = OwnerMark & { version: string };

export type MarkStore = {
  read(): Promise<FoundMark | undefined>;
  /**
   * Replaces the mark that was read, or creates the first.
   * @returns false if another write came first
   */
  replace(before: FoundMark | undefined, next: OwnerMark): Promise<boolean>;
  /** Whether the storage honors the condition of `replace`. If not, two databases can both become the owner. */
  isConditional(): Promise<boolean>;
};

const fileName = /^([0-9a-f-]{36})\.(\d+|left)$/;
const nameOf = ({ nonce, renewedAt }: OwnerMark): string => `${nonce}.${renewedAt ?? "left"}`;

/**
 * The mark of a folder: one empty file in <folder>/owner, whose name says everything, so that a rename replaces it in one step and
 * fails where another was quicker.
 */
export function openDiskMark(
  folder: string,
  syncFolder: (path: string) => Promise<void>,
): MarkStore {
  const place = join(folder, "owner");

  async function create(next: OwnerMark): Promise<boolean> {
    const draft = join(folder, `owner.${randomUUID()}.draft`);
    await onDisk(mkdir(draft, { recursive: true, mode: 0o700 }));
    await onDisk((await onDisk(open(join(draft, nameOf(next)), "wx", 0o600))).close());
    try {
      await rename(draft, place);
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      if (["ENOTEMPTY", "EEXIST", "EPERM"].includes(systemCode(error) ?? "")) return false;
      return onDisk(Promise.reject(error));
    }
    await syncFolder(place);
    await syncFolder(folder);
    return true;
  }

  return {
    async read() {
      const names = await onDisk(readdir(place)).catch((error: unknown) => {
        if (systemCode(error) === "ENOENT") return [];
        throw error;
      });
      // Several exist only if somebody copied one folder into another. The latest renewal wins.
      const marks = names.flatMap((name) => {
        const [, nonce, at] = fileName.exec(name) ?? [];
        return nonce && at
          ? [{ nonce, renewedAt: at === "left" ? null : Number(at), version: name }]
          : [];
      });
      return marks.sort((a, b) => (b.renewedAt ?? 0) - (a.renewedAt ?? 0))[0];
    },
    async replace(before, next) {
      if (!before) return create(next);
      try {
        await onDisk(rename(join(place, before.version), join(place, nameOf(next))));
      } catch (error) {
        if (systemCode(error) === "ENOENT") return false;
        throw error;
      }
      await syncFolder(place);
      return true;
    },
    isConditional: async () => true,
  };
}

/** The mark of a bucket: the object <prefix>owner, replaced by conditional writes (If-Match, If-None-Match). */
export function openS3Mark(client: S3Client): MarkStore {
  const key = "owner";

  async function put(to: string, condition: Record<string, string>, text: string): Promise<number> {
    const headers = { "content-type": "application/json", ...condition };
    const body = new TextEncoder().encode(text);
    // 404 and 409 are refusals of the condition as well: the object is gone, or another write is under way.
    const expect = [200, 400, 404, 409, 412, 501];
    const answer = await client.call({
      method: "PUT",
      key: to,
      headers,
      body,
      idempotent: true,
      expect,
    });
    await refuseMissingBucket(answer);
    return answer.status;
  }

  /** The 404 that means the bucket doesn't exist, so every call will fail. */
  async function refuseMissingBucket(answer: Response): Promise<void> {
    const text = await answer.text();
    if (answer.status === 404 && !text.includes("NoSuchKey"))
      throw await refused(new Response(text, { status: 404 }));
  }

  let conditional: boolean | undefined;
  /** Tested once, with a separate object: a storage that ignores conditions would overwrite the mark. */
  async function isConditional(): Promise<boolean> {
    if (conditional !== undefined) return conditional;
    const probe = "owner-probe";
    const first = await put(probe, { "if-none-match": "*" }, "{}");
    const wrong = await put(probe, { "if-match": '"00000000000000000000000000000000"' }, "{}");
    const again = await put(probe, { "if-none-match": "*" }, "{}");
    conditional = (first === 200 || first === 412) && wrong === 412 && again === 412;
    return conditional;
  }

  return {
    isConditional,
    async read() {
      const answer = await client.call({
        method: "GET",
        key,
        idempotent: true,
        expect: [200, 404],
      });
      if (answer.status === 404) {
        await refuseMissingBucket(answer);
        return undefined;
      }
      const version = answer.headers.get("etag") ?? "";
      const { nonce, renewedAt } = JSON.parse(await answer.text()) as OwnerMark;
      return {
        nonce: String(nonce),
        renewedAt: typeof renewedAt === "number" ? renewedAt : null,
        version,
      };
    },
    async replace(before, next) {
      const condition: Record<string, string> = before
        ? { "if-match": before.version }
        : { "if-none-match": "*" };
      const { nonce, renewedAt } = next;
      return (
        (await put(
          key,
          (await isConditional()) ? condition : {},
          JSON.stringify({ nonce, renewedAt }),
        )) === 200
      );
    },
  };
}

import type { Asset, Visibility } from "#contract/entities.ts";
import type { ProblemBody } from "#contract/errors.ts";
import { isProblem, problemOf, routePath } from "./client.ts";
import { holdPage } from "./page/hold-page.ts";
import { waitForServer } from "./server-back.ts";

export type SendOptions = { onProgress?: (share: number) => void; signal?: AbortSignal };
export type UploadOptions = SendOptions & {
  /** "author": only the author sees the file. */ visibility?: Visibility;
  /**
   * If given, a file that the server couldn't accept is held and sent again. Called with the
   * reason, and with null when the file is sent again.
   */
  onHeld?: (reason: unknown) => void;
};

/** The connection broke before the whole file was sent, so nothing of it is stored. */
class UnsentFile extends TypeError {}

/**
 * Uploads a file to a project's library and reports progress (0 to 1).
 * @throws ServerProblem too_large, unsupported_media, storage_full; TypeError if the connection
 *   broke; AbortError
 */
export async function uploadFile(
  projectId: string,
  file: File,
  { visibility, onHeld, ...options }: UploadOptions = {},
): Promise<Asset> {
  const path = routePath("createUpload", {
    query: { projectId, name: file.name || "pasted", visibility },
  });
  for (let failures = 1; ; failures++) {
    try {
      return (await sendFile<{ asset: Asset }>(path, file, options)).asset;
    } catch (error) {
      // If only the answer was lost, the file may be stored, so a person decides whether to send it
      // again.
      const isHeld = error instanceof UnsentFile || isProblem(error, "unavailable");
      if (!onHeld || !isHeld) throw error;
      onHeld(error);
    }
    const wait = waitForServer(failures);
    options.signal?.addEventListener("abort", wait.giveUp, { once: true });
    const letGo = holdPage();
    if (!(await wait.ended.finally(letGo))) throw new DOMException("aborted", "AbortError");
    onHeld(null);
  }
}

/**
 * Posts a file's bytes with XMLHttpRequest, because fetch doesn't report upload progress.
 * @throws as `uploadFile`
 */
export function sendFile<Answer>(
  path: string,
  file: File,
  options: SendOptions = {},
): Promise<Answer> {
  const letGo = holdPage();
  return new Promise<Answer>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.responseType = "json";
    let isSent = false;
    request.upload.onload = () => {
      isSent = true;
    };
    request.upload.onprogress = (event) =>
      options.onProgress?.(event.lengthComputable ? event.loaded / event.total : 0);
    request.onload = () => {
      const body: unknown = request.response;
      if (body === null) reject(new TypeError("fetch: the upload was not answered"));
      else if (request.status < 300) resolve(body as Answer);
      else reject(problemOf(body as ProblemBody));
    };
    request.onerror = () =>
      reject(new (isSent ? TypeError : UnsentFile)("fetch: the upload broke"));
    request.onabort = () => reject(new DOMException("aborted", "AbortError"));
    options.signal?.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  }).finally(letGo);
}

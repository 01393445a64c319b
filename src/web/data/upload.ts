import type { Asset, Visibility } from "#contract/entities.ts";
import type { ProblemBody } from "#contract/errors.ts";
import { problemOf, routePath } from "./client.ts";

export type SendOptions = { onProgress?: (share: number) => void; signal?: AbortSignal };
export type UploadOptions = SendOptions & {
  /** "author": nobody else sees it. */ visibility?: Visibility;
};

/**
 * Puts a file in a project's library, telling how much has left (0 to 1).
 * @throws ServerProblem too_large, unsupported_media, storage_full; TypeError when the line broke; AbortError
 */
export async function uploadFile(
  projectId: string,
  file: File,
  { visibility, ...options }: UploadOptions = {},
): Promise<Asset> {
  const path = routePath("createUpload", {
    query: { projectId, name: file.name || "pasted", visibility },
  });
  return (await sendFile<{ asset: Asset }>(path, file, options)).asset;
}

/** Posts the bytes of a file. A fetch can't tell how much has left, so it is an XMLHttpRequest. @throws as `uploadFile` */
export function sendFile<Answer>(
  path: string,
  file: File,
  options: SendOptions = {},
): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.responseType = "json";
    request.upload.onprogress = (event) =>
      options.onProgress?.(event.lengthComputable ? event.loaded / event.total : 0);
    request.onload = () => {
      const body: unknown = request.response;
      if (body === null) reject(new TypeError("fetch: the upload was not answered"));
      else if (request.status < 300) resolve(body as Answer);
      else reject(problemOf(body as ProblemBody));
    };
    request.onerror = () => reject(new TypeError("fetch: the upload broke"));
    request.onabort = () => reject(new DOMException("aborted", "AbortError"));
    options.signal?.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  });
}

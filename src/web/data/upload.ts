import type { Asset } from "#contract/entities.ts";
import type { ProblemBody } from "#contract/errors.ts";
import { problemOf, routePath } from "./client.ts";

/**
 * Puts a file in a project's library, telling how much has left (0 to 1). A fetch can't tell that, so it is an XMLHttpRequest.
 * @throws ServerProblem too_large, unsupported_media, storage_full; TypeError when the line broke; AbortError
 */
export function uploadFile(
  projectId: string,
  file: File,
  options: { onProgress?: (share: number) => void; signal?: AbortSignal } = {},
): Promise<Asset> {
  return new Promise<Asset>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", routePath("createUpload", { query: { projectId, name: file.name || "pasted" } }));
    request.responseType = "json";
    request.upload.onprogress = (event) => options.onProgress?.(event.lengthComputable ? event.loaded / event.total : 0);
    request.onload = () => {
      const body: unknown = request.response;
      if (body === null) reject(new TypeError("fetch: the upload was not answered"));
      else if (request.status < 300) resolve((body as { asset: Asset }).asset);
      else reject(problemOf(body as ProblemBody));
    };
    request.onerror = () => reject(new TypeError("fetch: the upload broke"));
    request.onabort = () => reject(new DOMException("aborted", "AbortError"));
    options.signal?.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  });
}

import type { RouteTable } from "../route.ts";

/** A key's own project, or for a signed-in person the one that the address of the proxy names. */
const target = { kind: "project", from: "query-or-key", name: "projectId" } as const;
/**
 * The address that fal's own browser client sends everything to (`proxyUrl`), with what it meant to ask of fal in the header
 * `x-fal-target-url`. Each call is a run; errors have fal's shape.
 */
export const falRoutes = {
  postToFal: {
    method: "POST",
    path: "/api/fal/proxy",
    permission: "edit",
    target,
    summary:
      "For @fal-ai/client: a submit, a direct run or a stream is a run of ours; a file's upload begins.",
    errors: ["model_gone", "budget_exceeded", "ceiling_needed", "storage_full", "too_large"],
    body: "files",
  },
  getFromFal: {
    method: "GET",
    path: "/api/fal/proxy",
    permission: "view",
    target,
    summary: "For @fal-ai/client: status, status stream and result of one's own run.",
  },
  putToFal: {
    method: "PUT",
    path: "/api/fal/proxy",
    permission: "edit",
    target,
    summary: "For @fal-ai/client: cancel one's own run.",
  },
  getLinkedFile: {
    method: "GET",
    path: "/api/fal/files/:assetId/:name",
    permission: "public",
    summary:
      "A file by the signed address that an answer to fal's client named, for as long as who asked may see it.",
    answer: "bytes",
    rate: "open",
  },
  putLinkedUpload: {
    method: "PUT",
    path: "/api/fal/uploads/:assetId",
    permission: "public",
    summary:
      "A file's bytes, at the signed address that the beginning of its upload was answered with.",
    body: "bytes",
    errors: ["too_large", "unsupported_media", "storage_full"],
    rate: "open",
  },
  putLinkedPart: {
    method: "PUT",
    path: "/api/fal/uploads/:assetId/:part",
    permission: "public",
    summary: "One part of a large file, at such an address.",
    body: "bytes",
    errors: ["too_large", "storage_full"],
    rate: "open",
  },
  completeLinkedUpload: {
    method: "POST",
    path: "/api/fal/uploads/:assetId/complete",
    permission: "public",
    summary: "The parts, by what each was answered with, become the file.",
    errors: ["too_large", "unsupported_media", "storage_full", "conflict"],
    rate: "open",
  },
} as const satisfies RouteTable;

import type { RouteTable } from "../../route.ts";

/** The API key's project, or, for a signed-in person, the project in the proxy's URL. */
const target = { kind: "project", from: "query-or-key", name: "projectId" } as const;
/**
 * The proxy (`proxyUrl`) of fal's own browser client. The header `x-fal-target-url` holds the fal
 * address that the request is meant for. Each call is a run; errors have fal's format.
 */
export const falRoutes = {
  postToFal: {
    method: "POST",
    path: "/api/fal/proxy",
    permission: "edit",
    target,
    summary:
      "For @fal-ai/client: submit a run, run it directly, stream it, start an upload, or request a socket token.",
    errors: ["model_gone", "budget_exceeded", "ceiling_needed", "storage_full", "too_large"],
    body: "files",
  },
  getFromFal: {
    method: "GET",
    path: "/api/fal/proxy",
    permission: "view",
    target,
    summary: "For @fal-ai/client: get the status, status stream or result of your run.",
  },
  putToFal: {
    method: "PUT",
    path: "/api/fal/proxy",
    permission: "edit",
    target,
    summary: "For @fal-ai/client: cancel your run.",
  },
  getFalHookKeys: {
    method: "GET",
    path: "/api/fal/.well-known/jwks.json",
    permission: "public",
    summary: "Get the public keys that verify calls to a request’s webhookUrl.",
    rate: "open",
  },
  getLinkedFile: {
    method: "GET",
    path: "/api/fal/files/:assetId/:name",
    permission: "public",
    summary:
      "Download a file by the signed URL of an answer. It works while the caller can see the file.",
    answer: "bytes",
    rate: "open",
  },
  putLinkedUpload: {
    method: "PUT",
    path: "/api/fal/uploads/:assetId",
    permission: "public",
    summary: "Upload a file to its signed URL.",
    body: "bytes",
    errors: ["too_large", "unsupported_media", "storage_full"],
    rate: "open",
  },
  putLinkedPart: {
    method: "PUT",
    path: "/api/fal/uploads/:assetId/:part",
    permission: "public",
    summary: "Upload a part of a large file to its signed URL.",
    body: "bytes",
    errors: ["too_large", "storage_full"],
    rate: "open",
  },
  completeLinkedUpload: {
    method: "POST",
    path: "/api/fal/uploads/:assetId/complete",
    permission: "public",
    summary: "Complete a large upload from the ETags of its parts.",
    errors: ["too_large", "unsupported_media", "storage_full", "conflict"],
    rate: "open",
  },
} as const satisfies RouteTable;

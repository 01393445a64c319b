import type { RouteTable } from "../route.ts";

const target = { kind: "asset", from: "param", name: "assetId" } as const;
const inProject = { kind: "project", from: "query", name: "projectId" } as const;
/** The library: everything made or uploaded. */
export const assetRoutes = {
  listAssets: {
    method: "GET",
    path: "/api/v1/assets",
    permission: "view",
    target: inProject,
    summary: "The library, newest first, searched and filtered.",
  },
  countAssets: {
    method: "GET",
    path: "/api/v1/assets/counts",
    permission: "view",
    target: inProject,
    summary: "How many: everything, kept, uploads, trash.",
  },
  layoutAssets: {
    method: "GET",
    path: "/api/v1/assets/layout",
    permission: "view",
    target: inProject,
    summary: "Sizes and days of everything that a filter matches, for a gallery that can jump far.",
  },
  getAsset: {
    method: "GET",
    path: "/api/v1/assets/:assetId",
    permission: "view",
    target,
    summary: "An asset with its recipe and where it comes from.",
  },
  updateAsset: {
    method: "PATCH",
    path: "/api/v1/assets/:assetId",
    permission: "edit",
    target,
    summary: "Title, pick, rating.",
  },
  updateAssets: {
    method: "POST",
    path: "/api/v1/assets/update",
    permission: "edit",
    target: { kind: "project", from: "body", name: "projectId" },
    summary: "Keep, reject, trash or restore several.",
  },
  getFile: {
    method: "GET",
    path: "/api/v1/assets/:assetId/file",
    permission: "view",
    target,
    summary: "The bytes, with ranges.",
    answer: "bytes",
  },
  getVariant: {
    method: "GET",
    path: "/api/v1/assets/:assetId/variants/:variant",
    permission: "view",
    target,
    summary: "A thumbnail, poster or waveform.",
    answer: "bytes",
  },
  downloadAssets: {
    method: "GET",
    path: "/api/v1/assets/archive",
    permission: "view",
    target: inProject,
    summary: "Several as one zip with their recipes.",
    answer: "bytes",
  },
  createUpload: {
    method: "POST",
    path: "/api/v1/uploads",
    permission: "edit",
    target: inProject,
    summary: "Put a file in the library.",
    body: "bytes",
    errors: ["too_large", "unsupported_media", "storage_full"],
  },
} as const satisfies RouteTable;

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
    summary: "List the assets of the library, newest first, with search and filters.",
  },
  countAssets: {
    method: "GET",
    path: "/api/v1/assets/counts",
    permission: "view",
    target: inProject,
    summary: "Count all assets, kept assets, uploads and the trash.",
  },
  locateAsset: {
    method: "GET",
    path: "/api/v1/assets/place",
    permission: "view",
    target: inProject,
    summary: "Get the index of an asset in the filtered and sorted library.",
  },
  countAssetModels: {
    method: "GET",
    path: "/api/v1/assets/models",
    permission: "view",
    target: inProject,
    summary: "Count the assets of the library by the model that made them, most first.",
  },
  layoutAssets: {
    method: "GET",
    path: "/api/v1/assets/layout",
    permission: "view",
    target: inProject,
    summary: "Get the sizes and days of all matching assets, for a gallery with a scroll bar.",
  },
  getAsset: {
    method: "GET",
    path: "/api/v1/assets/:assetId",
    permission: "view",
    target,
    summary: "Get an asset with its recipe and its sources.",
  },
  listMadeFrom: {
    method: "GET",
    path: "/api/v1/assets/:assetId/made-from",
    permission: "view",
    target,
    summary: "List the assets that were made with an asset as an input.",
  },
  updateAsset: {
    method: "PATCH",
    path: "/api/v1/assets/:assetId",
    permission: "edit",
    target,
    summary: "Change an asset's title, mark or rating.",
  },
  updateAssets: {
    method: "POST",
    path: "/api/v1/assets/update",
    permission: "edit",
    target: { kind: "project", from: "body", name: "projectId" },
    summary:
      "Keep, reject, rate, tag, move, trash, restore or delete up to 10,000 assets, named or filtered.",
  },
  getFile: {
    method: "GET",
    path: "/api/v1/assets/:assetId/file",
    permission: "view",
    target,
    summary: "Download a file, with range requests.",
    answer: "bytes",
  },
  getVariant: {
    method: "GET",
    path: "/api/v1/assets/:assetId/variants/:variant",
    permission: "view",
    target,
    summary: "Get a thumbnail, poster or waveform.",
    answer: "bytes",
  },
  downloadAssets: {
    method: "GET",
    path: "/api/v1/assets/archive",
    permission: "view",
    target: inProject,
    summary: "Download assets, named or filtered, as one ZIP with their recipes.",
    answer: "bytes",
  },
  downloadSelection: {
    method: "POST",
    path: "/api/v1/assets/archive",
    permission: "view",
    target: inProject,
    summary: "The same as downloadAssets, for more assets than an address can name.",
    body: "field",
    answer: "bytes",
  },
  createUpload: {
    method: "POST",
    path: "/api/v1/uploads",
    permission: "edit",
    target: inProject,
    summary: "Upload a file to the library.",
    body: "bytes",
    errors: ["too_large", "unsupported_media", "storage_full"],
  },
} as const satisfies RouteTable;

import { assetDragType } from "../../../components/asset/asset-name.ts";
import { fileUrl } from "../../../components/asset/asset-urls.ts";
import { routePath } from "../../../data/client.ts";
import type { AssetFilter } from "../../../data/queries/library.queries.ts";

/**
 * The drag data of assets: their ids inside Bottega, their addresses outside, one ZIP on the
 * desktop.
 */
export function carryAssets(
  dataTransfer: DataTransfer,
  projectId: string,
  ids: readonly string[],
): void {
  const absolute = (path: string) => new URL(path, location.origin).href;
  dataTransfer.setData(assetDragType, JSON.stringify(ids));
  dataTransfer.setData("text/uri-list", ids.map((id) => absolute(fileUrl(id))).join("\r\n"));
  dataTransfer.setData(
    "DownloadURL",
    `application/zip:bottega.zip:${absolute(zipUrl(projectId, ids))}`,
  );
}

export const zipUrl = (projectId: string, ids: readonly string[]): string =>
  routePath("downloadAssets", { query: { projectId, ids: ids.join(",") } });

/** A single address for any number of files: the server finds the filter's matches. */
export const filteredZipUrl = (projectId: string, filter: AssetFilter): string =>
  routePath("downloadAssets", { query: { projectId, ...filter } });

/** Makes the browser download an address. */
export function saveAddress(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  document.body.append(link);
  link.click();
  link.remove();
}

/** The pause between downloads; without it the browser starts only the last. */
const betweenMs = 250;

export async function saveFiles(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    saveAddress(fileUrl(id, { download: true }));
    await new Promise((resolve) => setTimeout(resolve, betweenMs));
  }
}

import { assetDragType } from "../../../components/asset/asset-name.ts";
import { fileUrl } from "../../../components/asset/asset-urls.ts";
import { routePath } from "../../../data/client.ts";

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
  const zip = absolute(routePath("downloadAssets", { query: { projectId, ids: ids.join(",") } }));
  if (zip.length <= maxAddress)
    dataTransfer.setData("DownloadURL", `application/zip:bottega.zip:${zip}`);
}

/** Proxies refuse addresses that are longer than 8 KB with the request's other headers. */
const maxAddress = 6_000;

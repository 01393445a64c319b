import { useQuery } from "@tanstack/react-query";
import type { Asset } from "#contract/entities.ts";
import { readAnswer } from "../../../data/client.ts";
import { keys } from "../../../data/keys.ts";
import { t } from "../../../messages/t.ts";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { assetName } from "../../asset/asset-name.ts";
import { fileUrl } from "../../asset/asset-urls.ts";
import styles from "./text-view.module.css";

/** As much text as a page draws without a pause. */
const shownBytes = 256 * 1024;

async function readText(assetId: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(fileUrl(assetId), {
    signal,
    headers: { range: `bytes=0-${shownBytes - 1}` },
  });
  // An empty file has no valid range.
  if (response.status === 416) return "";
  if (!response.ok) return readAnswer<string>(response);
  return new TextDecoder().decode(await response.arrayBuffer());
}

/** Shows a text file verbatim. */
export function TextView({ asset }: { asset: Asset }) {
  const text = useQuery({
    queryKey: keys.text(asset.sha256),
    queryFn: ({ signal }) => readText(asset.id, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (text.error) return <ErrorState error={text.error} onRetry={() => void text.refetch()} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className={styles.text} tabIndex={0} aria-label={assetName(asset)}>
      {text.data === undefined ? <SkeletonText lines={12} /> : <pre>{text.data}</pre>}
      {asset.bytes > shownBytes && <p className={styles.note}>{t("viewer.textLong")}</p>}
    </section>
  );
}

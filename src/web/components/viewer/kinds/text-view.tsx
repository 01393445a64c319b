import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { readAnswer } from "../../../data/client.ts";
import { keys } from "../../../data/keys.ts";
import { t } from "../../../messages/t.ts";
import { Segmented } from "../../../ui/controls/segmented.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Part } from "../../../ui/part.tsx";
import { assetName } from "../../asset/asset-name.ts";
import { fileUrl } from "../../asset/asset-urls.ts";
import styles from "./text-view.module.css";

const Markdown = lazyPart(() =>
  import("../../markdown/markdown.tsx").then(({ Markdown }) => Markdown),
);
const forms = ["formatted", "source"] as const;

/** The most text that a page renders without a pause. */
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

/** Shows a text file: formatted Markdown, or any other text verbatim. */
export function TextView({ asset }: { asset: Asset }) {
  const [form, setForm] = useState<(typeof forms)[number]>("formatted");
  const text = useQuery({
    queryKey: keys.text(asset.sha256),
    queryFn: ({ signal }) => readText(asset.id, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (text.error) return <ErrorState error={text.error} onRetry={() => void text.refetch()} />;
  const isMarkdown = asset.mime === "text/markdown";
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className={styles.text} tabIndex={0} aria-label={assetName(asset)}>
      {isMarkdown && (
        <Segmented
          label={t("viewer.text.form")}
          value={form}
          onValueChange={setForm}
          options={forms.map((value) => ({ value, label: t(`viewer.text.${value}`) }))}
          className={styles.forms}
        />
      )}
      {text.data === undefined ? (
        <SkeletonText lines={12} />
      ) : isMarkdown && form === "formatted" ? (
        <Part fallback={<SkeletonText lines={12} />}>
          <Markdown text={text.data} className={styles.formatted} />
        </Part>
      ) : (
        <pre>{text.data}</pre>
      )}
      {asset.bytes > shownBytes && <p className={styles.note}>{t("viewer.textLong")}</p>}
    </section>
  );
}

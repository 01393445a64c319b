import { BookOpen, ExternalLink } from "lucide-react";
import type { MessagePart } from "#contract/entities.ts";
import { AssetLink } from "../../../components/asset/inspector/asset-link.tsx";
import { t } from "../../../messages/t.ts";
import styles from "./answer.module.css";

type Source = Extract<MessagePart, { type: "source" }>;

/** Only http and https addresses become links. */
const pageAddress = (url: string | undefined): string | null =>
  url && /^https?:\/\//i.test(url) ? url : null;

/** The sources that an answer cites. */
export function Sources({ sources }: { sources: readonly Source[] }) {
  if (sources.length === 0) return null;
  return (
    <div className={styles.sources}>
      <h3 className={styles.sourcesTitle}>{t("chat.sources")}</h3>
      <ol className={styles.sourceList}>
        {sources.map((source, index) => {
          const address = pageAddress(source.url);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: sources only ever grow at the end, and may repeat
            <li key={index} className={styles.source}>
              {address ? <ExternalLink aria-hidden /> : <BookOpen aria-hidden />}
              {address ? (
                <a href={address} target="_blank" rel="noreferrer noopener">
                  {source.title}
                </a>
              ) : source.assetId ? (
                <AssetLink assetId={source.assetId}>{source.title}</AssetLink>
              ) : (
                <span>{source.title}</span>
              )}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

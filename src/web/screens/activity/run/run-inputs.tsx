import { useQueries } from "@tanstack/react-query";
import { assetQuery } from "../../../data/queries/shared.queries.ts";
import { t } from "../../../messages/t.ts";
import { AssetRow } from "./run-outputs.tsx";
import styles from "./run-page.module.css";

/** The files that went into a run, as small tiles. */
export function RunInputs({ assetIds }: { assetIds: readonly string[] }) {
  const answers = useQueries({ queries: assetIds.map((assetId) => assetQuery(assetId)) });
  const assets = answers.flatMap(({ data }) => (data ? [data.asset] : []));
  return (
    <section className={styles.inputs}>
      <h3 className={styles.cardTitle}>{t("run.inputs")}</h3>
      <AssetRow assets={assets} height={96} />
    </section>
  );
}

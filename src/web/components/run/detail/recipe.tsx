import { TriangleAlert } from "lucide-react";
import type { Asset, Run } from "#contract/entities.ts";
import { InspectorSection } from "../../../frame/inspector.tsx";
import { formatBytes, formatClip, formatDuration } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { CopyButton } from "../../../ui/controls/copy-button.tsx";
import { Facts } from "../../../ui/display/facts.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { fileUrl } from "../../asset/asset-urls.ts";
import { tookMs } from "../run-facts.ts";
import { listSettings } from "../settings.ts";
import styles from "./detail.module.css";
import { FoldedFacts } from "./folded-facts.tsx";
import { listRunFacts } from "./list-run-facts.tsx";

/** The prompt of a result, with a copy button. */
export function Prompt({ text }: { text: string | undefined }) {
  if (!text) return null;
  return (
    <>
      <div className={styles.promptHead}>
        <h3>{t("run.prompt")}</h3>
        <CopyButton text={text} label={t("run.prompt.copy")} />
      </div>
      <p className={styles.prompt} tabIndex={text.length > 400 ? 0 : undefined}>
        {text}
      </p>
    </>
  );
}

type RecipeProps = {
  /**
   * Null if the asset was uploaded, or if its run is in a project that the person isn't a member
   * of.
   */
  run: Run | null;
  modelName: string | null | undefined;
  /** The run's file, if a file is shown instead of the run. */
  asset?: Asset;
};

/** A run's model, settings, cost and times; with an asset, also its file's facts. */
export function Recipe({ run, modelName, asset }: RecipeProps) {
  const settings = run ? listSettings(run.input) : [];
  const isSized = asset?.width != null && asset.height != null;
  const named = (names: Parameters<typeof listRunFacts>[1]) =>
    run ? listRunFacts({ run, modelName }, names) : [];
  return (
    <InspectorSection title={t("run.recipe")}>
      <Facts
        facts={[
          ...(run ? named(["model"]) : [[t("run.facts.model"), modelName] as const]),
          [t("run.recipe.size"), isSized ? `${asset.width} × ${asset.height}` : null],
          [t("run.recipe.length"), asset?.durationMs != null ? formatClip(asset.durationMs) : null],
          [t("run.recipe.choices"), run?.expansion?.values.join(", ")],
          [t("run.recipe.template"), run?.expansion?.template],
          ...settings.filter(([name]) => !isSized || !/^image.?size$/i.test(name)),
          [t("run.recipe.file"), asset && <FileLink key="file" asset={asset} />],
          [t("run.recipe.origin"), asset && originOf(asset)],
          ...named(["cost", "reserved"]),
          ...(asset
            ? [[madeOrUploaded(asset), <Made key="made" asset={asset} run={run} />] as const]
            : named(["requested", "duration"])),
          ...named(["run"]),
        ]}
      />
      {asset && (
        <FoldedFacts
          of="file"
          facts={[
            [
              t("run.recipe.hash"),
              <code key="hash" data-tooltip={asset.sha256}>{`${asset.sha256.slice(0, 16)}…`}</code>,
            ],
          ]}
        />
      )}
      {run && <RunWarnings run={run} />}
    </InspectorSection>
  );
}

const madeOrUploaded = ({ runId }: Asset) =>
  t(runId === null ? "run.recipe.uploaded" : "run.recipe.made");

function Made({ asset, run }: { asset: Asset; run: Run | null }) {
  const took = run && tookMs(run);
  return (
    <span>
      <Time at={asset.createdAt} />
      {took ? `, ${formatDuration(took)}` : ""}
    </span>
  );
}

/** The origin that the file declares, with a note that nobody verified it. */
function originOf({ provenance }: Asset): string | null {
  if (!provenance) return null;
  const { credentials, digitalSourceType } = provenance;
  const type = digitalSourceType && sourceTypeText(digitalSourceType);
  if (!credentials) return type && t("run.recipe.sourceType.metadata", { type });
  const name = credentials.claimGenerator;
  return [
    name ? t("run.recipe.credentials", { name }) : t("run.recipe.credentials.unnamed"),
    ...(type ? [t("run.recipe.sourceType", { type })] : []),
  ].join(" ");
}

/** The two source types that models write, in words; others by their name in IPTC's list. */
function sourceTypeText(type: string): string {
  if (type === "trainedAlgorithmicMedia") return t("run.recipe.sourceType.generated");
  if (type === "compositeWithTrainedAlgorithmicMedia") return t("run.recipe.sourceType.composite");
  return type;
}

/** A link that opens the original file in another tab. */
function FileLink({ asset }: { asset: Asset }) {
  return (
    <a
      href={fileUrl(asset.id)}
      target="_blank"
      rel="noreferrer"
      className={styles.link}
      data-tooltip={t("run.recipe.openFile")}
    >
      {`${asset.mime.split(";")[0]}, ${formatBytes(asset.bytes)}`}
    </a>
  );
}

/** The parts of the request that the provider ignored or changed. */
export function RunWarnings({ run }: { run: Run }) {
  if (run.warnings.length === 0) return null;
  return (
    <ul className={styles.warnings}>
      {run.warnings.map((warning) => (
        <li key={`${warning.type} ${warning.feature} ${warning.message}`}>
          <TriangleAlert aria-hidden />
          {warning.message}
        </li>
      ))}
    </ul>
  );
}

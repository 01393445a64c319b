import { ImageOff } from "lucide-react";
import { useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import { assetName } from "../../asset/asset-name.ts";
import { fileUrl } from "../../asset/asset-urls.ts";
import styles from "../stage/stage.module.css";
import { FileMissing } from "./file-missing.tsx";
import { NoPreview } from "./no-preview.tsx";

/** A HEIC photo. Safari shows it, and other browsers report that they can't. */
export function HeicView({ asset }: { asset: Asset }) {
  const [state, setState] = useState<"shown" | "refused" | "missing">("shown");
  // An image's error doesn't tell whether its file is missing or in an unknown format.
  const findReason = () => {
    fetch(fileUrl(asset.id), { headers: { range: "bytes=0-0" }, cache: "no-store" }).then(
      ({ ok }) => setState(ok ? "refused" : "missing"),
      () => setState("missing"),
    );
  };
  if (state === "refused") return <NoPreview asset={asset} text={t("viewer.heic")} />;
  if (state === "missing") return <FileMissing icon={ImageOff} onRetry={() => setState("shown")} />;
  return (
    <img
      className={styles.photo}
      src={fileUrl(asset.id)}
      alt={assetName(asset)}
      draggable={false}
      onError={findReason}
    />
  );
}

import { Maximize, Minus, Plus } from "lucide-react";
import { type RefObject, useEffect, useImperativeHandle, useRef, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { Skeleton } from "../../../ui/display/skeleton.tsx";
import { assetName } from "../../asset/asset-name.ts";
import { fileUrl } from "../../asset/asset-urls.ts";
import stageStyles from "../stage/stage.module.css";
import styles from "./model-view.module.css";
import { NoPreview } from "./no-preview.tsx";
import { type OrbitModel, renderOrbitModel } from "./orbit-model.ts";

export type ModelHandle = Pick<OrbitModel, "turn" | "zoomBy" | "reset">;

const step = 1.25;
/** Larger models exceed a tab's memory. */
const maxBytes = 200 * 1024 * 1024;

/** A 3D model that rotates by mouse drag, touch and keys. */
export function ModelView({
  asset,
  handle,
}: {
  asset: Asset;
  handle: RefObject<ModelHandle | null>;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const model = useRef<OrbitModel>(null);
  const [state, setState] = useState<"loading" | "shown" | "broken">("loading");
  const isShowable = asset.bytes <= maxBytes && asset.mime === "model/gltf-binary";
  useImperativeHandle(handle, () => ({
    turn: (...by) => model.current?.turn(...by),
    zoomBy: (factor) => model.current?.zoomBy(factor),
    reset: () => model.current?.reset() ?? false,
  }));
  useEffect(() => {
    if (!isShowable) return undefined;
    const leaving = new AbortController();
    const show = async () => {
      const response = await fetch(fileUrl(asset.id), { signal: leaving.signal });
      if (!response.ok) throw new Error(`HTTP status ${response.status}`);
      const bytes = await response.arrayBuffer();
      if (!frame.current) return;
      const shown = await renderOrbitModel(frame.current, bytes);
      if (leaving.signal.aborted) return shown.end();
      model.current = shown;
      setState("shown");
    };
    show().catch(() => leaving.signal.aborted || setState("broken"));
    return () => {
      leaving.abort();
      model.current?.end();
      model.current = null;
    };
  }, [asset.id, isShowable]);

  if (!isShowable || state === "broken")
    return (
      <NoPreview asset={asset} text={t(isShowable ? "viewer.model.broken" : "viewer.noPreview")} />
    );
  return (
    <div className={styles.model}>
      {state === "loading" && (
        <div className={stageStyles.middle} role="status" aria-busy aria-label={t("ui.loading")}>
          <Skeleton width="240px" height={240} />
        </div>
      )}
      <div
        ref={frame}
        data-own-drag
        role="img"
        aria-label={t("viewer.model.label", { name: assetName(asset) })}
        aria-busy={state === "loading"}
        className={styles.frame}
      />
      {state === "shown" && (
        <div className={stageStyles.zoom}>
          <IconButton
            size="small"
            icon={Minus}
            label={t("viewer.zoomOut")}
            shortcut="-"
            onClick={() => model.current?.zoomBy(1 / step)}
          />
          <IconButton
            size="small"
            icon={Plus}
            label={t("viewer.zoomIn")}
            shortcut="+"
            onClick={() => model.current?.zoomBy(step)}
          />
          <IconButton
            size="small"
            icon={Maximize}
            label={t("viewer.zoomFit")}
            shortcut="0"
            onClick={() => model.current?.reset()}
          />
        </div>
      )}
    </div>
  );
}

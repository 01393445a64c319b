import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import type { Asset } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { CropRatios } from "../../../components/editor/crop/crop-ratios.tsx";
import { assetQuery } from "../../../data/queries/shared.queries.ts";
import { t } from "../../../messages/t.ts";
import { Field } from "../../../ui/controls/field.tsx";
import { Skeleton } from "../../../ui/display/skeleton.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Part } from "../../../ui/part.tsx";
import styles from "../form/form.module.css";
import { cropFrame } from "./crop-frame.ts";
import { OpenEditor } from "./open-editor.tsx";

const CropField = lazyPart(() => import("./crop-field.tsx").then(({ CropField }) => CropField));

type CropProps = {
  reference: unknown;
  values: JsonObject;
  onValues: (values: JsonObject) => void;
  children: ReactNode;
};

/** The visual crop for x, y, width and height; the number fields stay for exact values. */
export function Crop({ reference, values, onValues, children }: CropProps) {
  const assetId = typeof reference === "string" ? reference.replace(/^asset:/, "") : "";
  const asset: Asset | undefined = useQuery({ ...assetQuery(assetId), enabled: assetId !== "" })
    .data?.asset;
  const { width, height } = asset ?? {};
  const isMissing = typeof values.width !== "number" || typeof values.height !== "number";
  // A newly picked picture starts with its full area, so that the form is valid.
  useEffect(() => {
    if (width && height && isMissing) onValues({ ...values, x: 0, y: 0, width, height });
  });
  if (!asset || !width || !height) return null;
  const number = (value: unknown, otherwise: number) =>
    typeof value === "number" && Number.isFinite(value) ? value : otherwise;
  const box = {
    x: number(values.x, 0),
    y: number(values.y, 0),
    width: number(values.width, width),
    height: number(values.height, height),
  };
  return (
    <>
      <Part fallback={<CropPlace picture={{ width, height }} box={box} />}>
        <CropField
          key={assetId}
          asset={{ ...asset, width, height }}
          box={box}
          onBoxChange={(next) => onValues({ ...values, ...next })}
        />
      </Part>
      <OpenEditor assetId={assetId} />
      <div className={styles.numbers}>{children}</div>
    </>
  );
}

type Size = { width: number; height: number };

/** The crop field's placeholder, with its label and size. */
function CropPlace({ picture, box }: { picture: Size; box: Size }) {
  return (
    <Field
      isGroup
      label={t("create.crop")}
      hint={t("create.crop.hint")}
      aside={`${box.width} × ${box.height}`}
    >
      {() => (
        <>
          <CropRatios chosen="free" />
          <div
            className={styles.cropPlace}
            style={cropFrame(picture)}
            role="status"
            aria-busy
            aria-label={t("ui.loading")}
          >
            <Skeleton height="100%" />
          </div>
        </>
      )}
    </Field>
  );
}

import { useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { ratioOf as shapeRatio } from "#domain/files/picture-shape.ts";
import { fileUrl, thumbnailUrl } from "../../../components/asset/asset-urls.ts";
import styles from "../../../components/editor/crop/crop.module.css";
import { CropArea } from "../../../components/editor/crop/crop-area.tsx";
import {
  type Box,
  boxOfRatio,
  fitBox,
  hasRatio,
} from "../../../components/editor/crop/crop-box.ts";
import { CropRatios, type Ratio } from "../../../components/editor/crop/crop-ratios.tsx";
import { useKeysOf } from "../../../frame/commands.tsx";
import { t } from "../../../messages/t.ts";
import { Field } from "../../../ui/controls/field.tsx";
import { cropFrame } from "./crop-frame.ts";

type CropFieldProps = {
  asset: Asset & { width: number; height: number };
  box: Box | null;
  onBoxChange: (box: Box) => void;
};

/** The crop rectangle in the form, optionally held to a ratio. */
export function CropField({ asset, box, onBoxChange }: CropFieldProps) {
  useKeysOf("crop");
  const picture = { width: asset.width, height: asset.height };
  const shown = fitBox(box ?? { x: 0, y: 0, ...picture }, picture);
  const [chosen, setChosen] = useState<Ratio>("free");
  const ratioOf = (name: Ratio): number | null =>
    name === "free"
      ? null
      : name === "original"
        ? picture.width / picture.height
        : (shapeRatio(name) ?? null);
  // Typing a number below frees the rectangle from its ratio.
  const asked = ratioOf(chosen);
  const ratio = asked !== null && hasRatio(shown, asked) ? asked : null;
  const choose = (name: Ratio) => {
    setChosen(name);
    const next = ratioOf(name);
    if (next !== null) onBoxChange(boxOfRatio(shown, next, picture));
  };
  return (
    <Field
      isGroup
      label={t("create.crop")}
      hint={t("create.crop.hint")}
      aside={`${shown.width} × ${shown.height}`}
    >
      {() => (
        <>
          <CropRatios chosen={ratio === null ? "free" : chosen} onChoose={choose} />
          <CropArea
            area={picture}
            box={shown}
            ratio={ratio}
            onBoxChange={onBoxChange}
            style={cropFrame(picture)}
          >
            <img
              className={styles.picture}
              src={thumbnailUrl(asset, 640) ?? fileUrl(asset.id)}
              alt=""
              draggable={false}
            />
          </CropArea>
        </>
      )}
    </Field>
  );
}

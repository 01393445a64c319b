import { useRef, useState } from "react";
import type { JsonObject } from "#contract/json.ts";
import { ratioOf as shapeRatio } from "#domain/files/picture-shape.ts";
import { largestInRotated, rotatedSize, straightenMost } from "#domain/files/rotated-picture.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Slider } from "../../../ui/controls/slider.tsx";
import styles from "../editor.module.css";
import type { EditedPicture, ToolParts } from "../tool.ts";
import { useElementSize } from "../use-element-size.ts";
import { CropArea } from "./crop-area.tsx";
import { type Box, boxOfRatio, fitBox, hasRatio } from "./crop-box.ts";
import { CropRatios, type Ratio } from "./crop-ratios.tsx";
import { keepInRotated, rotateBox } from "./rotated-crop.ts";

type Crop = {
  box: Box;
  angle: number;
  /** The person's rectangle and its angle: rotating on and back restores it. */
  chosen: { box: Box; angle: number };
  ratio: Ratio;
};

const wholeOf = ({ width, height }: EditedPicture): Crop => {
  const box = { x: 0, y: 0, width, height };
  return { box, angle: 0, chosen: { box, angle: 0 }, ratio: "free" };
};

/** Crop and straighten: the model's input, the picture with its rectangle, and the controls. */
export function useCropTool(picture: EditedPicture): ToolParts {
  const [crop, setCrop] = useState<Crop>(() => wholeOf(picture));
  /** A fine grid helps with leveling, thirds with composition. */
  const [grid, setGrid] = useState<"thirds" | "fine">("thirds");
  const { box, angle } = crop;
  const area = rotatedSize(picture, angle);
  const ratioOf = (name: Ratio): number | null =>
    name === "free"
      ? null
      : name === "original"
        ? picture.width / picture.height
        : (shapeRatio(name) ?? null);
  const asked = ratioOf(crop.ratio);
  const ratio = asked !== null && hasRatio(box, asked) ? asked : null;
  const take = (next: Box) => {
    setGrid("thirds");
    setCrop((now) => ({ ...now, box: next, chosen: { box: next, angle: now.angle } }));
  };
  const chooseRatio = (name: Ratio) => {
    const next = ratioOf(name);
    if (next === null) return setCrop({ ...crop, ratio: name });
    const inMiddle = largestInRotated(picture, angle, next);
    const fitted = keepInRotated(inMiddle, boxOfRatio(box, next, area), picture, angle);
    setCrop({ ...crop, ratio: name, box: fitted, chosen: { box: fitted, angle } });
  };
  const turn = (next: number) => {
    setGrid("fine");
    setCrop((now) => ({ ...now, angle: next, box: rotateBox(now.chosen, picture, next) }));
  };
  const isWhole = angle === 0 && box.width === picture.width && box.height === picture.height;
  const input: JsonObject = { ...box, ...(angle !== 0 && { angle }) };
  return {
    input,
    isUnchanged: isWhole,
    reset: () => setCrop(wholeOf(picture)),
    stage: (
      <CropStage picture={picture} angle={angle}>
        {(style, image) => (
          <CropArea
            area={area}
            box={fitBox(box, area)}
            ratio={ratio}
            onBoxChange={take}
            keepIn={(from, wanted) => keepInRotated(from, wanted, picture, angle)}
            grid={grid}
            style={style}
          >
            {image}
          </CropArea>
        )}
      </CropStage>
    ),
    settings: (
      <>
        <CropRatios chosen={ratio === null ? "free" : crop.ratio} onChoose={chooseRatio} />
        <div className={styles.straighten}>
          <Slider
            label={t("edit.straighten")}
            value={angle}
            onValueChange={turn}
            min={-straightenMost}
            max={straightenMost}
            step={0.1}
          />
        </div>
        <p className={styles.note}>
          {t("edit.crop.size", { width: box.width, height: box.height })}
        </p>
        <p className={styles.hint}>{t("edit.crop.hint")}</p>
        {!isWhole && (
          <Button size="small" onClick={() => setCrop(wholeOf(picture))}>
            {t("edit.reset")}
          </Button>
        )}
      </>
    ),
  };
}

type CropStageProps = {
  picture: EditedPicture;
  angle: number;
  children: (style: React.CSSProperties, image: React.ReactNode) => React.ReactNode;
};

/** The rotated picture, as large as the room allows. */
function CropStage({ picture, angle, children }: CropStageProps) {
  const place = useRef<HTMLDivElement>(null);
  const room = useElementSize(place);
  const area = rotatedSize(picture, angle);
  const scale = Math.min(room.width / area.width, room.height / area.height);
  const image = (
    <img
      className={styles.turned}
      src={picture.url}
      alt=""
      draggable={false}
      style={{
        width: picture.width * scale,
        height: picture.height * scale,
        transform: `translate(-50%, -50%) rotate(${angle}deg)`,
      }}
    />
  );
  return (
    <div ref={place} className={styles.room}>
      {scale > 0 && children({ width: area.width * scale, height: area.height * scale }, image)}
    </div>
  );
}

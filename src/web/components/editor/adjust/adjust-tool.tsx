import { useEffect, useRef, useState } from "react";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Slider } from "../../../ui/controls/slider.tsx";
import { Switch } from "../../../ui/controls/switch.tsx";
import styles from "../editor.module.css";
import type { EditedPicture, ToolParts } from "../tool.ts";
import { useElementSize } from "../use-element-size.ts";
import { type Adjustment, adjustPixels, noAdjustment } from "./adjust-pixels.ts";

type Numbers = Exclude<keyof Adjustment, "grayscale">;
const sliders: readonly { name: Numbers; min: number; max: number; step: number }[] = [
  { name: "brightness", min: 0, max: 2, step: 0.01 },
  { name: "contrast", min: 0, max: 2, step: 0.01 },
  { name: "saturation", min: 0, max: 2, step: 0.01 },
  { name: "hue", min: -180, max: 180, step: 1 },
  { name: "sharpen", min: 0, max: 10, step: 0.1 },
  { name: "blur", min: 0, max: 100, step: 0.1 },
];
/** The smallest radius that the model accepts besides zero. */
const minRadius = 0.3;

/** Light and color: the model's input, a preview of the picture, and the controls. */
export function useAdjustTool(picture: EditedPicture): ToolParts {
  const [asked, setAsked] = useState<Adjustment>(noAdjustment);
  const [isOriginal, setOriginal] = useState(false);
  const changed = Object.entries(asked).filter(
    ([name, value]) => value !== noAdjustment[name as keyof Adjustment],
  );
  const set = (name: Numbers, value: number) => {
    const isRadius = name === "sharpen" || name === "blur";
    setAsked({ ...asked, [name]: isRadius && value > 0 ? Math.max(minRadius, value) : value });
  };
  const isUnchanged = changed.length === 0;
  return {
    input: Object.fromEntries(changed),
    isUnchanged,
    reset: () => setAsked(noAdjustment),
    stage: <Preview picture={picture} asked={isOriginal ? noAdjustment : asked} />,
    settings: (
      <>
        {sliders.map(({ name, ...range }) => (
          <Slider
            key={name}
            label={t(`edit.adjust.${name}`)}
            value={asked[name]}
            onValueChange={(value) => set(name, value)}
            {...range}
          />
        ))}
        <Switch
          label={t("edit.adjust.grayscale")}
          checked={asked.grayscale}
          onCheckedChange={(grayscale) => setAsked({ ...asked, grayscale })}
        />
        {!isUnchanged && (
          <div className={styles.line}>
            <Button size="small" onClick={() => setAsked(noAdjustment)}>
              {t("edit.reset")}
            </Button>
            <Button size="small" aria-pressed={isOriginal} onClick={() => setOriginal(!isOriginal)}>
              {t("edit.original")}
            </Button>
          </div>
        )}
      </>
    ),
  };
}

/** The number of pixels that can be processed within a frame or two. */
const maxPixels = 320_000;
/** A wider blur looks the same on a smaller picture. */
const maxBlur = 4;

type PreviewProps = { picture: EditedPicture; asked: Adjustment };

/** The adjusted picture, in fewer pixels than the result. */
function Preview({ picture, asked }: PreviewProps) {
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const room = useElementSize(place);
  const [image, setImage] = useState<HTMLImageElement | null>(null);
  useEffect(() => {
    const loading = new Image();
    loading.src = picture.url;
    let isGone = false;
    loading.decode().then(
      () => isGone || setImage(loading),
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [picture.url]);
  const shown = Math.min(room.width / picture.width, room.height / picture.height, 1);
  const scale = Math.min(
    shown,
    Math.sqrt(maxPixels / (picture.width * picture.height)),
    asked.blur > 0 ? maxBlur / asked.blur : 1,
  );
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      const element = canvas.current;
      const context = element?.getContext("2d", { willReadFrequently: true });
      if (!element || !context || !image || !(scale > 0)) return;
      const width = Math.max(1, Math.round(picture.width * scale));
      const height = Math.max(1, Math.round(picture.height * scale));
      element.width = width;
      element.height = height;
      context.imageSmoothingQuality = "high";
      context.drawImage(image, 0, 0, width, height);
      const pixels = context.getImageData(0, 0, width, height);
      adjustPixels(pixels, asked, scale);
      context.putImageData(pixels, 0, 0);
      element.dataset.drawn = JSON.stringify(asked);
    });
    return () => cancelAnimationFrame(frame);
  }, [image, asked, scale, picture.width, picture.height]);
  return (
    <div ref={place} className={styles.room}>
      <canvas
        ref={canvas}
        className={styles.preview}
        role="img"
        aria-label={t("edit.preview")}
        style={{ width: picture.width * shown, height: picture.height * shown }}
      />
    </div>
  );
}

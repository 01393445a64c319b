import { Brush as BrushIcon, Eraser, ImagePlus, Redo2, Trash2, Undo2 } from "lucide-react";
import { useRef } from "react";
import { t } from "../../messages/t.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import styles from "./draw.module.css";
import type { Drawing, DrawingState } from "./drawing/drawing.ts";
import type { Brush } from "./surface.tsx";

const colors = [
  "#1b1a19",
  "#ffffff",
  "#b5492c",
  "#d99a2b",
  "#4f7f52",
  "#3d6fa5",
  "#7b5a94",
  "#8d6a4f",
] as const;
export const sizes = { least: 2, most: 120 } as const;

type ToolbarProps = {
  brush: Brush;
  onBrush: (brush: Brush) => void;
  drawing: Drawing;
  state: DrawingState;
  isDisabled: boolean;
  onClear: () => void;
  onPicture: (file: File) => void;
};

/** Brush, eraser, color, size, undo and redo. */
export function Toolbar({
  brush,
  onBrush,
  drawing,
  state,
  isDisabled,
  onClear,
  onPicture,
}: ToolbarProps) {
  const file = useRef<HTMLInputElement>(null);
  const pick = (color: string) => onBrush({ ...brush, tool: "brush", color });
  return (
    <div className={styles.toolbar} role="toolbar" aria-label={t("draw.tools")}>
      <IconButton
        icon={BrushIcon}
        label={t("draw.brush")}
        shortcut="b"
        pressed={brush.tool === "brush"}
        disabled={isDisabled}
        onClick={() => onBrush({ ...brush, tool: "brush" })}
      />
      <IconButton
        icon={Eraser}
        label={t("draw.eraser")}
        shortcut="e"
        pressed={brush.tool === "eraser"}
        disabled={isDisabled}
        onClick={() => onBrush({ ...brush, tool: "eraser" })}
      />
      <fieldset className={styles.colors}>
        <legend className={styles.legend}>{t("draw.color")}</legend>
        {colors.map((color) => (
          <button
            key={color}
            type="button"
            className={styles.color}
            style={{ background: color }}
            aria-label={`${t("draw.color")} ${color}`}
            aria-pressed={brush.tool === "brush" && brush.color === color}
            disabled={isDisabled}
            onClick={() => pick(color)}
          />
        ))}
        <input
          type="color"
          className={styles.other}
          aria-label={t("draw.color.other")}
          data-tooltip={t("draw.color.other")}
          value={brush.color}
          disabled={isDisabled}
          onChange={({ target }) => pick(target.value)}
        />
      </fieldset>
      <label className={styles.size}>
        <span>{t("draw.size")}</span>
        <input
          type="range"
          min={sizes.least}
          max={sizes.most}
          value={brush.size}
          disabled={isDisabled}
          onChange={({ target }) => onBrush({ ...brush, size: target.valueAsNumber })}
        />
        <output>{brush.size}</output>
      </label>
      <span className={styles.space} />
      <IconButton
        icon={Undo2}
        label={t("draw.undo")}
        shortcut="mod+z"
        disabled={isDisabled || !state.canUndo}
        onClick={drawing.undo}
      />
      <IconButton
        icon={Redo2}
        label={t("draw.redo")}
        shortcut="mod+shift+z"
        disabled={isDisabled || !state.canRedo}
        onClick={drawing.redo}
      />
      <IconButton
        icon={ImagePlus}
        label={t("draw.picture")}
        disabled={isDisabled}
        onClick={() => file.current?.click()}
      />
      <IconButton
        icon={Trash2}
        label={t("draw.clear")}
        disabled={isDisabled || state.isBlank}
        onClick={onClear}
      />
      <input
        ref={file}
        type="file"
        accept="image/*"
        hidden
        onChange={({ target }) => {
          const [chosen] = target.files ?? [];
          target.value = "";
          if (chosen) onPicture(chosen);
        }}
      />
    </div>
  );
}

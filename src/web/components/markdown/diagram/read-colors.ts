import { colorNames, type DiagramColors } from "./protocol.ts";

/**
 * The theme's colors in a form that Mermaid reads. Mermaid doesn't support OKLCH, so a canvas
 * converts each color to bytes.
 */
export function readColors(): DiagramColors {
  const style = getComputedStyle(document.documentElement);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [1, 1];
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const toHex = (color: string): string => {
    if (!context) return "#808080";
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const bytes = [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
    return `#${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  };
  return Object.fromEntries(
    colorNames.map((name) => [name, toHex(style.getPropertyValue(`--${name}`))]),
  ) as DiagramColors;
}

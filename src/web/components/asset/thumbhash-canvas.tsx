import { useEffect, useRef } from "react";
import { thumbHashToAverageRGBA, thumbHashToRGBA } from "thumbhash";

/** Bytes of a thumbhash from its base64; null when it is none. */
export function decodeThumbhash(base64: string): Uint8Array | null {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return bytes.length >= 5 ? bytes : null;
  } catch {
    return null;
  }
}

/** The color that a picture has on the whole, for CSS; null when the hash is none. */
export function averageColor(base64: string): string | null {
  const bytes = decodeThumbhash(base64);
  if (!bytes) return null;
  const { r, g, b } = thumbHashToAverageRGBA(bytes);
  return `rgb(${[r, g, b].map((part) => Math.round(part * 255)).join(" ")})`;
}

/** Pictures from the cache are there before: then nothing is drawn. Each drawing (1 ms) is a task of its own. */
const drawAfterMs = 60;

function draw(canvas: HTMLCanvasElement, base64: string): void {
  const bytes = decodeThumbhash(base64);
  const context = canvas.getContext("2d");
  if (!bytes || !context) return;
  const { w, h, rgba } = thumbHashToRGBA(bytes);
  canvas.width = w;
  canvas.height = h;
  context.putImageData(new ImageData(new Uint8ClampedArray(rgba), w, h), 0, 0);
}

/** The blurred shape of a picture that is still coming. Drawn on a canvas, for the page's policy refuses data: pictures. */
export function ThumbhashCanvas({
  thumbhash,
  className,
}: {
  thumbhash: string;
  className?: string;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const timer = setTimeout(() => canvas.current && draw(canvas.current, thumbhash), drawAfterMs);
    return () => clearTimeout(timer);
  }, [thumbhash]);
  return (
    <canvas
      ref={canvas}
      className={className}
      style={{ background: averageColor(thumbhash) ?? undefined }}
      aria-hidden
    />
  );
}

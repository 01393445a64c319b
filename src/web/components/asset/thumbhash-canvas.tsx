import { useEffect, useRef } from "react";
import { thumbHashToAverageRGBA, thumbHashToRGBA } from "thumbhash";

/** Decodes a base64 thumbhash; null if it is malformed. */
export function decodeThumbhash(base64: string): Uint8Array | null {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return bytes.length >= 5 ? bytes : null;
  } catch {
    return null;
  }
}

/** A picture's average color for CSS; null if the hash is malformed. */
export function averageColor(base64: string): string | null {
  const bytes = decodeThumbhash(base64);
  if (!bytes) return null;
  const { r, g, b } = thumbHashToAverageRGBA(bytes);
  return `rgb(${[r, g, b].map((part) => Math.round(part * 255)).join(" ")})`;
}

/**
 * Cached pictures load sooner, and then nothing is drawn. Each drawing takes 1 ms, in a separate
 * task.
 */
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

/**
 * The blurred placeholder of a loading picture. Drawn on a canvas, because the page's CSP refuses
 * data: images.
 */
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

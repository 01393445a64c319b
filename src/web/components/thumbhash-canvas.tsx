import { useEffect, useRef } from "react";
import { thumbHashToRGBA } from "thumbhash";

/** Bytes of a thumbhash from its base64; null when it is none. */
export function decodeThumbhash(base64: string): Uint8Array | null {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return bytes.length >= 5 ? bytes : null;
  } catch {
    return null;
  }
}

/** The blurred shape of a picture that is still coming. Drawn on a canvas, for the page's policy refuses data: pictures. */
export function ThumbhashCanvas({ thumbhash, className }: { thumbhash: string; className?: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const bytes = decodeThumbhash(thumbhash);
    const context = canvas.current?.getContext("2d");
    if (!bytes || !canvas.current || !context) return;
    const { w, h, rgba } = thumbHashToRGBA(bytes);
    canvas.current.width = w;
    canvas.current.height = h;
    context.putImageData(new ImageData(new Uint8ClampedArray(rgba), w, h), 0, 0);
  }, [thumbhash]);
  return <canvas ref={canvas} className={className} aria-hidden />;
}

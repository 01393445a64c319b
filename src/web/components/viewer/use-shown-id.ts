import { useEffect, useRef, useState } from "react";
import { useViewerAddress } from "./viewer-address.ts";

/**
 * Browsers refuse more than about a hundred quick address changes in a row, so the address updates
 * when the arrow key rests.
 */
const restMs = 250;

/** The shown asset, updated immediately; the address follows a little later. */
export function useShownId(viewedId: string): [string, (assetId: string) => void] {
  const address = useViewerAddress();
  const [turned, setTurned] = useState<{ from: string; to: string } | null>(null);
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  // A history step or a link changes the address itself.
  const shown = turned?.from === viewedId ? turned.to : viewedId;
  const show = (assetId: string) => {
    setTurned({ from: viewedId, to: assetId });
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => address.show(assetId), restMs);
  };
  return [shown, show];
}

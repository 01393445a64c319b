import { useEffect, useRef, useState } from "react";
import { useViewerAddress } from "./viewer-address.ts";

/**
 * Browsers refuse more than about a hundred quick address changes in a row, so the address updates
 * when the arrow key rests.
 */
const restMs = 250;

/** The shown asset, updated immediately; the address follows a little later. */
export function useShownId(viewedId: string) {
  const address = useViewerAddress();
  const [turned, setTurned] = useState<{ from: string; to: string } | null>(null);
  const viewed = useRef(viewedId);
  useEffect(() => {
    viewed.current = viewedId;
  });
  const pending = useRef<{ assetId: string; timer: number } | null>(null);
  /** Counts requests to show an asset. The last one wins, not the one that loads last. */
  const requests = useRef(0);
  useEffect(
    () => () => {
      requests.current += 1;
      window.clearTimeout(pending.current?.timer);
    },
    [],
  );
  /** Updates the address now, so that what opens over the viewer returns to the shown asset. */
  const settleAddress = () => {
    if (!pending.current) return;
    window.clearTimeout(pending.current.timer);
    address.show(pending.current.assetId);
    pending.current = null;
  };
  const show = (assetId: string) => {
    requests.current += 1;
    setTurned({ from: viewed.current, to: assetId });
    window.clearTimeout(pending.current?.timer);
    pending.current = { assetId, timer: window.setTimeout(settleAddress, restMs) };
  };
  /** Shows an asset once its id is loaded, unless another is shown or the viewer closes first. */
  const showLater = async (loading: Promise<string | undefined>) => {
    requests.current += 1;
    const request = requests.current;
    const assetId = await loading.catch(() => undefined);
    if (assetId !== undefined && requests.current === request) show(assetId);
  };
  // A history step or a link changes the address itself.
  const shownId = turned?.from === viewedId ? turned.to : viewedId;
  return { shownId, show, showLater, settleAddress };
}

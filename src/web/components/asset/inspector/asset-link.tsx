import { Link, useLocation } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";
import { isPlainClick, useViewerAddress } from "../../viewer/viewer-address.ts";

type AssetLinkProps = {
  assetId: string;
  className?: string;
  "aria-label"?: string;
  "data-tooltip"?: string;
  /** -1 for a picture next to a button that opens it, too. */
  tabIndex?: -1;
  children?: ReactNode;
};

/** Opens an asset in the viewer over the current screen. The link's address is the library's. */
export function AssetLink({ assetId, ...link }: AssetLinkProps) {
  const isThere = useLocation({ select: ({ pathname }) => pathname.startsWith("/library") });
  const viewer = useViewerAddress();
  const onClick = (event: MouseEvent) => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    viewer.open(assetId);
  };
  return (
    <Link
      {...link}
      data-asset={assetId}
      to="/library/$assetId"
      params={{ assetId }}
      search={(before) => (isThere ? before : {})}
      onClick={onClick}
    />
  );
}

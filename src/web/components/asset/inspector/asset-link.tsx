import { Link, useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";

type AssetLinkProps = {
  assetId: string;
  className?: string;
  "aria-label"?: string;
  children?: ReactNode;
};

/** To an asset's page. Within the library what is looked for stays as it is. */
export function AssetLink({ assetId, ...link }: AssetLinkProps) {
  const isThere = useLocation({ select: ({ pathname }) => pathname.startsWith("/library") });
  return (
    <Link
      {...link}
      to="/library/$assetId"
      params={{ assetId }}
      search={(before) => (isThere ? before : {})}
    />
  );
}

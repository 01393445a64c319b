import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";

type AnchorProps = ComponentProps<"a"> & { isCurrent: boolean };

const Anchor = ({ isCurrent, ...anchor }: AnchorProps) => (
  <a {...anchor} aria-current={isCurrent ? "page" : undefined} />
);

/**
 * A link that knows itself whether it is the current one. The router marks every link to the
 * current address, also one that changes nothing in it.
 */
export const PlaceLink = createLink(Anchor);

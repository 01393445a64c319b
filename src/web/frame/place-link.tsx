import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";

type AnchorProps = ComponentProps<"a"> & { isCurrent: boolean };

const Anchor = ({ isCurrent, ...anchor }: AnchorProps) => (
  <a {...anchor} aria-current={isCurrent ? "page" : undefined} />
);

/**
 * A link that is the current one only if `isCurrent`. The router would also mark a link that
 * changes nothing in the address.
 */
export const PlaceLink = createLink(Anchor);

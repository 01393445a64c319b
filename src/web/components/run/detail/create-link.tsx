import { Link, useLocation } from "@tanstack/react-router";
import type { LucideIcon } from "lucide-react";
import { type ButtonLook, buttonClass } from "../../../ui/controls/button.tsx";
import { useWidth } from "../../../ui/use-width.ts";

/** The search parameters that fill Create's form. */
type CreateStart = { remix: string } | { asset: string };

/**
 * A button that opens Create's form. In Create itself, the selection stays unless the inspector
 * covers the form.
 */
export function CreateLink({
  ask,
  icon: Icon,
  label,
  ...look
}: ButtonLook & { ask: CreateStart; icon?: LucideIcon; label: string }) {
  const isThere = useLocation({ select: ({ pathname }) => pathname === "/create" });
  const isKept = useWidth() === "wide" && isThere;
  return (
    <Link
      to="/create"
      search={(before) => (isKept ? { ...before, ...ask } : ask)}
      className={buttonClass(look)}
    >
      {Icon && <Icon aria-hidden size={16} />}
      {label}
    </Link>
  );
}

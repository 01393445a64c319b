import { Link, useLocation } from "@tanstack/react-router";
import type { LucideIcon } from "lucide-react";
import { type ButtonLook, buttonClass } from "../../../ui/controls/button.tsx";
import { useWidth } from "../../../ui/use-width.ts";

/** What Create is asked to put into its form. */
type CreateStart = { remix: string } | { asset: string };

/** A button that leads to Create's form. There, what is selected stays so, where it does not lie over the form. */
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

import type { LucideIcon } from "lucide-react";
import { useState } from "react";
import { Popover, type PopoverProps } from "../ui/overlays/popover.tsx";
import { useActs } from "./act-button.tsx";

type ActPopoverProps = Omit<PopoverProps, "open" | "onOpenChange"> & {
  /** Unique on the page: "chat.settings". */
  act: string;
  icon: LucideIcon;
};

/** A popover that the palette also opens, by its title. Its actions show their prices inside. */
export function ActPopover({ act, icon, ...popover }: ActPopoverProps) {
  const [isOpen, setOpen] = useState(false);
  useActs([{ id: act, title: popover.title, icon, run: () => setOpen(true) }]);
  return <Popover {...popover} open={isOpen} onOpenChange={setOpen} />;
}

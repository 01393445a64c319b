import type { LucideIcon } from "lucide-react";
import { useState } from "react";
import { Popover, type PopoverProps } from "../ui/overlays/popover.tsx";
import { useActions } from "./action-button.tsx";

type ActionPopoverProps = Omit<PopoverProps, "open" | "onOpenChange"> & {
  /** Unique on the page: "chat.settings". */
  act: string;
  icon: LucideIcon;
};

/** A popover that the palette also opens, by its title. Its actions show their prices inside. */
export function ActionPopover({ act, icon, ...popover }: ActionPopoverProps) {
  const [isOpen, setOpen] = useState(false);
  useActions([{ id: act, title: popover.title, icon, run: () => setOpen(true) }]);
  return <Popover {...popover} open={isOpen} onOpenChange={setOpen} />;
}

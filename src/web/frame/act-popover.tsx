import type { LucideIcon } from "lucide-react";
import { useState } from "react";
import { Popover, type PopoverProps } from "../ui/overlays/popover.tsx";
import { useActs } from "./act-button.tsx";

type ActPopoverProps = Omit<PopoverProps, "open" | "onOpenChange"> & {
  /** Unique among what is on the page: "chat.settings". */
  act: string;
  icon: LucideIcon;
};

/** A popover that the palette opens, too, by its title. What can be done in it is chosen there, beside its price. */
export function ActPopover({ act, icon, ...popover }: ActPopoverProps) {
  const [isOpen, setOpen] = useState(false);
  useActs([{ id: act, title: popover.title, icon, run: () => setOpen(true) }]);
  return <Popover {...popover} open={isOpen} onOpenChange={setOpen} />;
}

import {
  Activity,
  Boxes,
  Brush,
  Columns2,
  House,
  Images,
  type LucideIcon,
  MessageCircle,
  ReceiptText,
  Settings2,
  Shield,
  WandSparkles,
} from "lucide-react";
import { type ScreenName, screenNames, screens } from "#contract/screens.ts";
import { isAdmin, type ShellUser } from "../data/shell-data.ts";
import type { MessageId } from "../messages/t.ts";

type ListedScreen = Extract<(typeof screens)[ScreenName], { nav: unknown }>;

const icons: Record<ListedScreen["nav"]["icon"], LucideIcon> = {
  house: House,
  "message-circle": MessageCircle,
  "wand-sparkles": WandSparkles,
  brush: Brush,
  images: Images,
  "columns-2": Columns2,
  activity: Activity,
  boxes: Boxes,
  receipt: ReceiptText,
  shield: Shield,
  "settings-2": Settings2,
};

export type NavItem = {
  screen: ScreenName;
  path: string;
  title: MessageId;
  icon: LucideIcon;
  place: "main" | "end";
  isOnPhone: boolean;
  shortcut?: string;
};

/** The screens that a person may open, in order, for the rail, the bar and the palette. */
export function listNav(user: Pick<ShellUser, "role">): NavItem[] {
  const items: (NavItem & { order: number })[] = [];
  for (const screen of screenNames) {
    const facts = screens[screen];
    if (!("nav" in facts)) continue;
    if (facts.audience === "admins" && !isAdmin(user)) continue;
    const { place, order, icon, phone } = facts.nav;
    items.push({
      screen,
      path: facts.paths[0],
      title: facts.title,
      icon: icons[icon],
      place,
      order,
      isOnPhone: phone,
      shortcut: "shortcut" in facts ? facts.shortcut : undefined,
    });
  }
  return items.sort((a, b) =>
    a.place === b.place ? a.order - b.order : a.place === "main" ? -1 : 1,
  );
}

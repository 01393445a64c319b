import {
  Activity,
  Boxes,
  Brush,
  House,
  Images,
  type LucideIcon,
  MessageCircle,
  ReceiptText,
  Settings2,
  Shield,
  WandSparkles,
} from "lucide-react";
import { type ScreenFacts, type ScreenName, screenNames, screens } from "#contract/screens.ts";
import { isAdmin, type ShellUser } from "../data/shell-data.ts";
import type { MessageId } from "../messages/t.ts";

const icons: Record<string, LucideIcon> = {
  house: House,
  "message-circle": MessageCircle,
  "wand-sparkles": WandSparkles,
  brush: Brush,
  images: Images,
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

/** What this person's rail, bar and palette list: the screens that they may open, in order. */
export function listNav(user: ShellUser): NavItem[] {
  const items: (NavItem & { order: number })[] = [];
  for (const screen of screenNames) {
    const facts: ScreenFacts = screens[screen];
    const path = facts.paths[0];
    if (!facts.nav || !path) continue;
    if (facts.audience === "admins" && !isAdmin(user)) continue;
    const { place, order, icon, phone } = facts.nav;
    const found = icons[icon];
    if (!found) throw new Error(`No icon is called ${icon}: add it to shell/nav.ts.`);
    items.push({
      screen,
      path,
      title: screens[screen].title,
      icon: found,
      place,
      order,
      isOnPhone: phone,
      shortcut: facts.shortcut,
    });
  }
  return items.sort((a, b) =>
    a.place === b.place ? a.order - b.order : a.place === "main" ? -1 : 1,
  );
}

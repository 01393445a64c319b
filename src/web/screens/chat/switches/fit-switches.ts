/** A switch's widths in px: with its name, and the addition for its price. */
export type SwitchWidth = { name: number; detail: number; isOn: boolean; isPaid: boolean };
/** How a switch is shown: with name and price, with its name, as an icon, or in the menu. */
export type Look = "whole" | "name" | "icon" | "menu";

/** A row's measures, in px. */
type Row = { room: number; gap: number; icon: number; more: number };

/**
 * The layouts from the widest to the narrowest. An active switch that spends money keeps its name
 * and price.
 */
const ways: readonly ((width: SwitchWidth) => Look)[] = [
  () => "whole",
  () => "name",
  ({ isOn }) => (isOn ? "name" : "icon"),
  ({ isPaid }) => (isPaid ? "name" : "icon"),
];

/** How a row shows its switches. If even icons don't fit, inactive ones move to a menu first. */
export function fitSwitches(
  widths: readonly SwitchWidth[],
  { room, gap, icon, more }: Row,
): readonly Look[] {
  const widthOf = (width: SwitchWidth, look: Look) =>
    look === "icon" ? icon : width.name + (look === "whole" ? width.detail : 0);
  const fits = (way: (width: SwitchWidth) => Look) =>
    widths.reduce((sum, width) => sum + widthOf(width, way(width)) + gap, -gap) <= room;
  const fitting = ways.find(fits);
  if (fitting) return widths.map(fitting);
  const least = ways.at(-1)!;
  const rank = ({ isOn, isPaid }: SwitchWidth) => Number(isOn) + Number(isPaid);
  let left = room - more;
  const looks = widths.map((): Look => "menu");
  for (const [place, width] of [...widths.entries()].toSorted(
    ([, a], [, b]) => rank(b) - rank(a),
  )) {
    const taken = widthOf(width, least(width)) + gap;
    if (taken > left) continue;
    looks[place] = least(width);
    left -= taken;
  }
  return looks;
}

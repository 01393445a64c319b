import { Tooltip } from "@base-ui/react/tooltip";
import { Kbd } from "../display/kbd.tsx";
import styles from "./popups.module.css";

const sides = ["top", "bottom", "left", "right"] as const;

/**
 * TooltipHost's popup, in a separate chunk. Its text, keys and side come from the anchor's data
 * attributes.
 */
export function TooltipPopup({ anchor, open }: { anchor: HTMLElement; open: boolean }) {
  const { tooltip, tooltipKeys, tooltipSide } = anchor.dataset;
  return (
    <Tooltip.Root open={open}>
      <Tooltip.Portal>
        <Tooltip.Positioner
          anchor={anchor}
          side={sides.find((side) => side === tooltipSide) ?? "bottom"}
          sideOffset={6}
          className={styles.tooltipPlace}
        >
          <Tooltip.Popup className={styles.tooltip} aria-hidden>
            {tooltip}
            {tooltipKeys && <Kbd keys={tooltipKeys} />}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

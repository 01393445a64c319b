import { Ellipsis } from "lucide-react";
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { useCommands } from "../../../frame/commands.tsx";
import { t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import { Chip } from "../../../ui/controls/chip.tsx";
import { Menu } from "../../../ui/overlays/menu.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useWidth } from "../../../ui/use-width.ts";
import { VisuallyHidden } from "../../../ui/visually-hidden.tsx";
import { fitSwitches, type Look } from "./fit-switches.ts";
import styles from "./switches.module.css";
import { type SwitchesProps, type ToolSwitch, useSwitches } from "./use-switches.ts";

/** In px, the same as in the style sheet. */
const gap = 6;
const inset = 7;
const iconWidth = 34;
const moreWidth = 64;

/**
 * Switches for the model's tools in this conversation. On a wide screen, those that don't fit are
 * in a menu; a phone's row scrolls.
 */
export function ToolSwitches(props: SwitchesProps) {
  const switches = useSwitches(props);
  const isPhone = useWidth() === "phone";
  const row = useRef<HTMLDivElement>(null);
  const ruler = useRef<HTMLDivElement>(null);
  const drawn = switches
    .map(({ name, detail, isPaid, isOn }) => [name, detail, isPaid, isOn].join(" "))
    .join();
  const measured = useFit(row, ruler, `${isPhone} ${drawn}`);
  const lookAt = (place: number): Look => (isPhone ? "whole" : (measured[place] ?? "menu"));
  const rest = measured.length > 0 ? switches.filter((_, index) => lookAt(index) === "menu") : [];
  useCommands(
    switches
      .filter(({ refusal }) => refusal === null)
      .map(({ id, name, icon, isOn, toggle }) => ({
        id: `chat.switch.${id}`,
        title: t(isOn ? "chat.switch.off" : "chat.switch.on", { name }),
        group: t("screen.chat"),
        icon,
        run: toggle,
      })),
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset does not shrink in a row
    <div ref={row} role="group" aria-label={t("chat.tools")} className={styles.row}>
      {switches.map((one, index) => {
        const look = lookAt(index);
        return look !== "menu" && <Switch key={one.id} of={one} look={look} />;
      })}
      {rest.length > 0 && <More switches={rest} />}
      {!isPhone && (
        <div ref={ruler} className={styles.ruler} aria-hidden inert>
          {switches.map((one) => (
            <Face key={one.id} of={one} look="whole" />
          ))}
        </div>
      )}
    </div>
  );
}

type SwitchProps = { of: ToolSwitch; look: Exclude<Look, "menu"> };

function Switch({ of, look }: SwitchProps) {
  const { hint, refusal, toggle } = of;
  const toast = useToast();
  const words = useId();
  return (
    <>
      <Face
        of={of}
        look={look}
        aria-describedby={words}
        // Focusable, so that screen readers announce the reason.
        aria-disabled={refusal !== null || undefined}
        data-tooltip={look === "icon" ? `${of.name}: ${refusal ?? hint}` : (refusal ?? hint)}
        onClick={() => (refusal === null ? toggle() : toast({ text: refusal }))}
      />
      <VisuallyHidden id={words}>{refusal ?? hint}</VisuallyHidden>
    </>
  );
}

type FaceProps = SwitchProps &
  Pick<React.ComponentProps<"button">, "aria-describedby" | "aria-disabled" | "onClick"> & {
    "data-tooltip"?: string;
  };

const Face = ({
  of: { icon, name, detail, isOn, isPaid },
  look,
  ...rest
}: FaceProps): ReactNode => (
  <Chip
    {...rest}
    icon={icon}
    selected={isOn}
    className={classes(styles.switch, look === "icon" && styles.icon)}
  >
    {look === "icon" ? <VisuallyHidden>{name}</VisuallyHidden> : name}{" "}
    {(look === "whole" || (look === "name" && isPaid)) && detail && (
      <span className={styles.detail} data-stays={isPaid || undefined}>
        {detail}
      </span>
    )}
  </Chip>
);

/** The switches that don't fit in the row. */
function More({ switches }: { switches: readonly ToolSwitch[] }) {
  const on = switches.filter(({ isOn }) => isOn).length;
  const label = t("chat.switch.more", { count: switches.length, on });
  return (
    <Menu
      label={label}
      side="top"
      align="start"
      entries={switches.map(({ name, icon, hint, isOn, refusal, toggle }) => ({
        label: name,
        detail: refusal ?? hint,
        icon,
        checked: isOn,
        disabled: refusal !== null,
        onSelect: toggle,
      }))}
      trigger={
        <Chip
          icon={Ellipsis}
          aria-label={label}
          data-tooltip={label}
          className={on > 0 ? styles.moreOn : undefined}
        >
          {switches.length}
        </Chip>
      }
    />
  );
}

/** Measures the row, and each switch's width on a hidden ruler. */
function useFit(
  row: React.RefObject<HTMLElement | null>,
  ruler: React.RefObject<HTMLElement | null>,
  /** Changes whenever the widths change. */
  drawn: string,
): readonly Look[] {
  const [fit, setFit] = useState<readonly Look[]>([]);
  useLayoutEffect(() => {
    const [place, measure] = [row.current, ruler.current];
    if (!place || !measure) return;
    const read = () => {
      const widths = [...measure.children].map((chip) => {
        const detail = chip.querySelector<HTMLElement>(`.${styles.detail}:not([data-stays])`);
        const added = detail
          ? detail.offsetWidth + Number.parseFloat(getComputedStyle(detail).marginLeft)
          : 0;
        return {
          name: (chip as HTMLElement).offsetWidth - added,
          detail: added,
          isOn: chip.getAttribute("aria-pressed") === "true",
          isPaid: chip.querySelector("[data-stays]") !== null,
        };
      });
      const room = place.clientWidth - inset;
      const next = fitSwitches(widths, { room, gap, icon: iconWidth, more: moreWidth });
      setFit((now) => (JSON.stringify(now) === JSON.stringify(next) ? now : next));
    };
    read();
    const observer = new ResizeObserver(read);
    observer.observe(place);
    observer.observe(measure);
    return () => observer.disconnect();
  }, [row, ruler, drawn]);
  return fit;
}

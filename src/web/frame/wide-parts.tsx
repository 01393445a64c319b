import { PanelLeftClose, PanelLeftOpen, PanelRightClose, PanelRightOpen } from "lucide-react";
import { useStored } from "../data/saved/use-stored.ts";
import { useShellData } from "../data/shell-data.ts";
import { t } from "../messages/t.ts";
import { classes } from "../ui/classes.ts";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { firstPart } from "../ui/lazy-part.ts";
import { OptionalPart } from "../ui/part.tsx";
import { VisuallyHidden } from "../ui/visually-hidden.tsx";
import { RunningPill } from "./running-pill.tsx";
import styles from "./screen.module.css";
import type { ScreenInspector, ScreenPane, ScreenProps } from "./screen-props.ts";

const Splitter = firstPart(() =>
  import("../ui/display/splitter.tsx").then(({ Splitter }) => Splitter),
);

const inspectorPx = 320;

type WideHeaderProps = Omit<ScreenProps, "children"> & {
  isPaneOpen: boolean;
  onPaneOpen: () => void;
};

/** The header line on screens with room for side-by-side panels. */
export function WideHeader({
  title,
  heading,
  back,
  tools,
  actions,
  pane,
  inspector,
  isHeaderBare,
  isPaneOpen,
  onPaneOpen,
}: WideHeaderProps) {
  const { running } = useShellData();
  return (
    <header className={classes(styles.workHeader, isHeaderBare && styles.bare)}>
      {pane && !isPaneOpen && (
        <IconButton icon={PanelLeftOpen} label={t("shell.pane.open")} onClick={onPaneOpen} />
      )}
      {back}
      <Headings
        title={title}
        heading={heading}
        hasPane={Boolean(pane) && isPaneOpen}
        hasTools={Boolean(tools)}
        isBare={isHeaderBare}
      />
      {tools && <div className={styles.tools}>{tools}</div>}
      <span className={styles.space} />
      <RunningPill runs={running} />
      {actions && <div className={styles.actions}>{actions}</div>}
      {inspector && !inspector.isOpen && (
        <IconButton
          icon={PanelRightOpen}
          label={t("shell.inspector.open")}
          onClick={() => inspector.onOpenChange(true)}
        />
      )}
    </header>
  );
}

type HeadingsProps = {
  title: string;
  heading?: string;
  hasPane: boolean;
  hasTools: boolean;
  isBare?: boolean;
};

/**
 * The page's single h1: the pane's title, or the one here if there is no pane. With a bare header,
 * the work has the h1.
 */
function Headings({ title, heading, hasPane, hasTools, isBare }: HeadingsProps) {
  if (hasPane) return heading && <h2 className={styles.heading}>{heading}</h2>;
  if (isBare) return null;
  if (heading) return <h1 className={styles.heading}>{heading}</h1>;
  return hasTools ? (
    <VisuallyHidden as="h1">{title}</VisuallyHidden>
  ) : (
    <h1 className={styles.heading}>{title}</h1>
  );
}

/** The pane next to the work. */
export function Pane({
  title,
  pane,
  onClose,
}: {
  title: string;
  pane: ScreenPane;
  onClose: () => void;
}) {
  return (
    <section
      className={classes(styles.pane, pane.width === "form" && styles.form)}
      aria-label={title}
    >
      <header className={styles.header}>
        <h1 className={styles.h1}>{title}</h1>
        <IconButton
          icon={PanelLeftClose}
          label={t("shell.pane.close")}
          className={styles.quiet}
          onClick={onClose}
        />
        {pane.actions}
      </header>
      <div className={styles.paneBody}>{pane.children}</div>
      {pane.footer && <div className={styles.paneFooter}>{pane.footer}</div>}
    </section>
  );
}

/** The panel at the right of the work. */
export function Inspector({ title, onOpenChange, children }: ScreenInspector) {
  const [width, setWidth] = useStored("inspector-width", inspectorPx);
  return (
    <aside className={styles.inspector} style={{ width }} aria-label={title}>
      <OptionalPart>
        <Splitter
          label={t("shell.inspector.width")}
          value={width}
          onValueChange={setWidth}
          min={260}
          max={560}
          initial={inspectorPx}
          panel="after"
        />
      </OptionalPart>
      <div className={styles.inspectorColumn}>
        <header className={styles.header}>
          <h2 className={styles.inspectorTitle}>{title}</h2>
          <IconButton
            icon={PanelRightClose}
            label={t("shell.inspector.close")}
            onClick={() => onOpenChange(false)}
          />
        </header>
        <div className={styles.inspectorBody}>{children}</div>
      </div>
    </aside>
  );
}

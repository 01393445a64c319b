import { Code, Download, Workflow } from "lucide-react";
import { useEffect, useState, useSyncExternalStore } from "react";
import { t } from "../../../messages/t.ts";
import { CopyButton } from "../../../ui/controls/copy-button.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { CodeBox } from "../code-box.tsx";
import { download } from "../download.ts";
import styles from "../markdown.module.css";
import { type Drawn, drawDiagram } from "./draw-diagram.ts";
import type { Diagram } from "./protocol.ts";
import { readColors } from "./read-colors.ts";

/**
 * A Mermaid diagram as a picture, with a button that shows its code. The code is shown until the
 * diagram is drawn, or if drawing fails.
 */
export function DiagramBlock({ code }: { code: string }) {
  const isDark = useIsDark();
  const drawn = useDrawn(code, isDark);
  const [isCode, setCode] = useState(false);
  if (!drawn || "failure" in drawn)
    return (
      <CodeBox
        code={code}
        language="mermaid"
        note={drawn && t(`blocks.diagram.${drawn.failure}`)}
      />
    );
  const toggle = (
    <IconButton
      size="small"
      icon={isCode ? Workflow : Code}
      label={t(isCode ? "blocks.diagram.show" : "blocks.diagram.code")}
      onClick={() => setCode(!isCode)}
    />
  );
  if (isCode) return <CodeBox code={code} language="mermaid" acts={toggle} />;
  return (
    <div className={styles.codeBox}>
      <div className={styles.codeHead}>
        <span>{t("blocks.diagram")}</span>
        <span className={styles.acts}>
          {toggle}
          <IconButton
            size="small"
            icon={Download}
            label={t("blocks.diagram.download")}
            onClick={() => download(drawn.svg, "diagram.svg", "image/svg+xml")}
          />
          <CopyButton text={drawn.svg} label={t("blocks.diagram.copy")} />
        </span>
      </div>
      <Picture diagram={drawn} />
    </div>
  );
}

/** An SVG in an image element runs no script and loads nothing. */
function Picture({ diagram: { svg, width, height, title } }: { diagram: Diagram }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [svg]);
  return (
    <div className={styles.diagram}>
      {url && (
        <img
          src={url}
          width={width}
          height={height}
          alt={title ? t("blocks.diagram.titled", { title }) : t("blocks.diagram")}
        />
      )}
    </div>
  );
}

function useDrawn(code: string, isDark: boolean): Drawn | undefined {
  const [drawn, setDrawn] = useState<Drawn>();
  useEffect(() => {
    let isCurrent = true;
    void drawDiagram({ code, isDark, colors: readColors() }).then((now) => {
      if (isCurrent) setDrawn(now);
    });
    return () => {
      isCurrent = false;
    };
  }, [code, isDark]);
  return drawn;
}

const isDarkNow = () => document.documentElement.dataset.theme === "dark";
const useIsDark = () =>
  useSyncExternalStore((onChange) => {
    const observer = new MutationObserver(onChange);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => observer.disconnect();
  }, isDarkNow);

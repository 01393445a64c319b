import { useEffect, useRef, useState } from "react";
import { loadOptional } from "../../data/page/stale-page.ts";
import styles from "./markdown.module.css";

/** A formula. Shows its source until KaTeX loads, or if KaTeX can't parse it. */
export function Maths({ tex, isBlock }: { tex: string; isBlock: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  const [isSet, setSet] = useState(false);
  useEffect(() => {
    let isCurrent = true;
    void loadOptional(() => import("./set-maths.ts")).then((module) => {
      if (isCurrent && module && place.current)
        setSet(module.setMaths(place.current, tex, isBlock));
    });
    return () => {
      isCurrent = false;
    };
  }, [tex, isBlock]);
  return (
    <span className={isBlock ? styles.maths : undefined}>
      {!isSet && <code className={styles.tex}>{tex}</code>}
      <span ref={place} />
    </span>
  );
}

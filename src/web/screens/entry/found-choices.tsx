import type { UseQueryResult } from "@tanstack/react-query";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { t } from "../../messages/t.ts";
import { Checkbox } from "../../ui/controls/checkbox.tsx";
import { describeError } from "../../ui/describe-error.ts";
import { Card } from "../../ui/display/card.tsx";
import { Skeleton } from "../../ui/display/skeleton.tsx";
import styles from "./setup.module.css";

type FoundChoicesProps = {
  look: UseQueryResult<RouteOutput<"lookAround">>;
  take: readonly string[];
  onTake: (take: readonly string[]) => void;
};

/** The services found on this machine, none selected. */
export function FoundChoices({ look, take, onTake }: FoundChoicesProps) {
  return (
    <Card
      as="section"
      className={styles.found}
      aria-labelledby="found-title"
      aria-busy={look.isPending}
    >
      <h2 id="found-title" className={styles.title}>
        {t("setup.found")}
      </h2>
      <Choices {...{ look, take, onTake }} />
    </Card>
  );
}

function Choices({ look, take, onTake }: FoundChoicesProps) {
  if (look.isPending) {
    return (
      <div role="status" aria-label={t("setup.found.looking")}>
        <Skeleton width="70%" height={18} />
      </div>
    );
  }
  if (look.error)
    return (
      <p className={styles.text}>
        {t("setup.found.failed", { reason: describeError(look.error).title })}
      </p>
    );
  const found = look.data?.found ?? [];
  if (found.length === 0) return <p className={styles.text}>{t("setup.found.none")}</p>;
  const toggle = (name: string, isTaken: boolean) =>
    onTake(isTaken ? [...take, name] : take.filter((other) => other !== name));
  return (
    <>
      <p className={styles.text}>{t("setup.found.hint")}</p>
      <ul className={styles.list}>
        {found.map(({ take: name, name: title, detail, needsKey }) => (
          <li key={name}>
            {needsKey ? (
              <p className={styles.text}>
                {t("setup.found.needsKey", { name: title, address: needsKey.address })}
              </p>
            ) : (
              <Checkbox
                label={title}
                hint={detail}
                checked={take.includes(name)}
                onCheckedChange={(checked) => toggle(name, checked)}
              />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

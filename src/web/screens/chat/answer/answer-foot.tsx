import { ChevronRight, Copy, Info, RotateCw, Volume2 } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import type { ModelRef, Run } from "#contract/entities.ts";
import { tokensOf } from "../../../components/run/run-facts.ts";
import { type RowAction, useRowActions } from "../../../frame/action-menu.tsx";
import { formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import { CopyIcon, useCopy } from "../../../ui/controls/copy-button.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { Part } from "../../../ui/part.tsx";
import { BranchSwitcher } from "../thread/branch-switcher.tsx";
import type { Entry } from "../thread/entries.ts";
import type { Siblings } from "../thread/message-tree.ts";
import threadStyles from "../thread/thread.module.css";
import { AnswerParts } from "../tools/lazy-tools.tsx";
import styles from "./answer.module.css";
import { priceOfAll } from "./answer-cost.ts";
import { AnswerFigures, Figures, formatTokens } from "./answer-figures.tsx";
import { type AnswerPart, partsOfAnswer, workedMs } from "./whole-answer.ts";

export type AnswerFootProps = {
  entry: Entry;
  runs: readonly Run[];
  nameOf: (ref: ModelRef) => string;
  siblings: Siblings;
  text: string;
  /** While the answer streams, only the version switch and `soFar` are shown. */
  isOpen: boolean;
  soFar?: ReactNode;
  isRead: boolean;
  /** Left out if the answer can't be read aloud. */
  onRead: (() => void) | undefined;
  onTurn: (messageId: string) => void;
  onInspect: (messageId: string) => void;
  onAgain?: () => void;
  rating?: ReactNode;
  menu?: ReactNode;
};

const noActs: readonly RowAction[] = [];

/** The footer of an answer: the version switch, its figures and its actions. */
export function AnswerFoot(props: AnswerFootProps) {
  const {
    entry,
    runs,
    nameOf,
    siblings,
    text,
    isOpen,
    soFar,
    isRead,
    onRead,
    onTurn,
    onInspect,
    onAgain,
    rating,
    menu,
  } = props;
  const [isUnfolded, setUnfolded] = useState(false);
  const id = useId();
  const newest = entry.findLast(({ role }) => role === "assistant");
  const acts = [
    ...(text && onRead
      ? [{ id: "read", title: t("chat.readAloud"), icon: Volume2, pressed: isRead, run: onRead }]
      : []),
    ...(onAgain ? [{ id: "again", title: t("chat.again"), icon: RotateCw, run: onAgain }] : []),
    ...(newest
      ? [
          {
            id: "inspect",
            title: t("chat.inspect"),
            icon: Info,
            run: () => onInspect(newest.id),
          },
        ]
      : []),
  ];
  const copying = useCopy(text);
  const copy = { id: "copy", title: t("chat.copy.answer"), icon: Copy, run: copying.copy };
  const at = useRowActions<HTMLSpanElement>(
    t("chat.message.menu"),
    isOpen ? noActs : [...(text ? [copy] : []), ...acts],
  );
  if (isOpen && siblings.ids.length < 2 && !soFar) return null;
  const parts = partsOfAnswer(entry, runs);
  const [only, ...more] = parts;
  const switcher = <BranchSwitcher siblings={siblings} onTurn={onTurn} />;
  if (isOpen)
    return (
      <div className={threadStyles.foot}>
        {switcher}
        {soFar}
      </div>
    );
  return (
    <>
      <div className={threadStyles.foot}>
        {switcher}
        {only && more.length === 0 && <AnswerFigures run={only.run} />}
        {more.length > 0 && (
          <button
            type="button"
            className={styles.sum}
            aria-expanded={isUnfolded}
            aria-controls={isUnfolded ? id : undefined}
            data-tooltip={t("chat.parts")}
            onClick={() => setUnfolded(!isUnfolded)}
          >
            <Sum parts={parts} />
            <ChevronRight
              aria-hidden
              className={classes(styles.chevron, isUnfolded && styles.turned)}
            />
          </button>
        )}
        <span ref={at} className={threadStyles.actions}>
          {text && <CopyIcon {...copying} label={copy.title} />}
          {rating}
          {acts.map(({ id: act, title, icon, run, ...rest }) => (
            <IconButton
              key={act}
              size="small"
              icon={icon}
              label={title}
              pressed={("pressed" in rest && rest.pressed) || undefined}
              onClick={run}
            />
          ))}
          {menu}
        </span>
      </div>
      {isUnfolded && (
        <div id={id}>
          <Part>
            <AnswerParts parts={parts} nameOf={nameOf} onInspect={onInspect} />
          </Part>
        </div>
      )}
    </>
  );
}

/** The figures of all rounds and tools together. */
function Sum({ parts }: { parts: readonly AnswerPart[] }) {
  const counted = parts
    .flatMap(({ run, message }) => (message.role === "tool" ? [] : [tokensOf(run)]))
    .filter(({ output }) => output !== null);
  const sum = counted.reduce((total, { output }) => total + (output ?? 0), 0);
  const tokens = formatTokens({
    output: counted.length === 0 ? null : sum,
    isEstimate: counted.some(({ isEstimate }) => isEstimate),
  });
  const { price, hasUnknown } = priceOfAll(parts.map(({ run }) => run));
  const cost = formatPrice(price);
  return (
    <Figures
      tokens={tokens}
      cost={hasUnknown ? t("chat.parts.more", { cost }) : cost}
      ms={workedMs(parts)}
    />
  );
}

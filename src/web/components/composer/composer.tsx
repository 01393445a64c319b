import { ArrowUp, Square } from "lucide-react";
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useImperativeHandle,
  useRef,
} from "react";
import { limits } from "#contract/limits.ts";
import { useKeysOf } from "../../frame/commands.tsx";
import { t } from "../../messages/t.ts";
import { classes } from "../../ui/classes.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { useAutoGrow } from "../../ui/controls/text-area.tsx";
import { useWidth } from "../../ui/use-width.ts";
import { VisuallyHidden } from "../../ui/visually-hidden.tsx";
import { AttachMenu, type AttachMenuProps } from "./attach-menu.tsx";
import styles from "./composer.module.css";
import { useFileDrop } from "./use-file-drop.ts";

export type ComposerHandle = { focus: () => void; field: () => HTMLTextAreaElement | null };

export type ComposerProps = {
  /** Usually from useSaved, so that the draft is saved. */
  value: string;
  onValueChange: (value: string) => void;
  placeholder: string;
  /** The text field's accessible name; defaults to the placeholder. */
  label?: string;
  /** Called on send. The caller clears the value once the message is saved. */
  onSend: () => void;
  /** Whether attachments can be sent without text. */
  canSendEmpty?: boolean;
  /** The reason that sending is blocked: a pending upload, no model chosen. */
  blocked?: string | null;
  /** An answer is streaming; the button and Escape stop it. */
  isRunning?: boolean;
  onStop?: () => void;
  /** Called on Up in an empty field. */
  onEditLast?: () => void;
  /**
   * Files from the menu, the clipboard or a drop, and assets from the library. Without this prop
   * there is no menu.
   */
  attach?: AttachMenuProps;
  /** Attachment components, above the text. */
  attachments?: ReactNode;
  /** The chips that choose the model. */
  model?: ReactNode;
  /** The switches for the model's tools, after the chips. */
  switches?: ReactNode;
  /** Puts the chips on a separate line, for several models. */
  hasModelLine?: boolean;
  /** Icon buttons after the switches: settings. */
  tools?: ReactNode;
  /** The context meter. */
  meter?: ReactNode;
  /** "about $0.03"; on a phone it is inside the send button. */
  price?: ReactNode;
  /** The label that replaces "Send": "Make 4 pictures". */
  sendLabel?: string;
  maxCharacters?: number;
  autoFocus?: boolean;
  className?: string;
  ref?: Ref<ComposerHandle>;
};

const lineHeight = 23;
/** The counter appears near the limit. */
const shownFrom = 0.95;

/** Touch keyboards have no Shift-Enter, so Enter breaks the line there and the button sends. */
const hasKeyboard = () => !matchMedia("(pointer: coarse)").matches;

/**
 * The composer shared by chat and Create. Enter sends, Shift-Enter breaks the line, Escape stops,
 * Up edits the last message.
 */
export function Composer(props: ComposerProps) {
  const {
    value,
    onValueChange,
    placeholder,
    label,
    isRunning = false,
    maxCharacters = limits.messageCharacters,
    ref,
  } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  useAutoGrow(area, value, lineHeight + 7, lineHeight * 12);
  useImperativeHandle(
    ref,
    () => ({ focus: () => area.current?.focus(), field: () => area.current }),
    [],
  );
  useKeysOf("composer");
  useKeysOf("thread", props.onStop !== undefined);
  const onFiles = props.attach?.onFiles;
  const drop = useFileDrop({ onFiles });
  const isPhone = useWidth() === "phone";
  const isTooLong = value.length > maxCharacters;
  const canSend =
    !isTooLong && !props.blocked && (value.trim() !== "" || Boolean(props.canSendEmpty));

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (
      event.key === "Enter" &&
      !event.shiftKey &&
      !event.altKey &&
      (hasKeyboard() || event.ctrlKey || event.metaKey)
    ) {
      event.preventDefault();
      if (canSend && !isRunning) props.onSend();
    } else if (event.key === "Escape" && isRunning && props.onStop) {
      event.preventDefault();
      props.onStop();
    } else if (event.key === "ArrowUp" && value === "" && props.onEditLast) {
      event.preventDefault();
      props.onEditLast();
    }
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (!onFiles || files.length === 0) return;
    event.preventDefault();
    onFiles(files);
  };

  return (
    <div
      {...drop.handlers}
      className={classes(styles.composer, props.className)}
      onPointerDown={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        area.current?.focus();
      }}
    >
      {props.attachments && <div className={styles.attachments}>{props.attachments}</div>}
      <textarea
        ref={area}
        className={styles.text}
        rows={1}
        value={value}
        placeholder={placeholder}
        aria-label={label ?? placeholder}
        aria-invalid={isTooLong || undefined}
        // biome-ignore lint/a11y/noAutofocus: on the screens whose one purpose is to write here
        autoFocus={props.autoFocus}
        onChange={(event) => onValueChange(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <div className={styles.bar}>
        {props.attach && <AttachMenu {...props.attach} />}
        <div className={styles.middle}>
          {props.model && (
            <div className={classes(styles.model, props.hasModelLine && styles.modelLine)}>
              {props.model}
            </div>
          )}
          <div className={styles.rest}>
            {props.switches}
            {props.tools}
            {isPhone && props.meter}
          </div>
        </div>
        {!props.switches && <span className={styles.space} />}
        {!isPhone && (props.meter || props.price) && (
          <span className={styles.price}>
            {props.meter}
            {props.price}
          </span>
        )}
        {isRunning && props.onStop ? (
          <IconButton
            variant="accent"
            className={styles.send}
            icon={Square}
            label={t("composer.stop")}
            shortcut="escape"
            onClick={props.onStop}
          />
        ) : (
          <SendButton
            label={props.sendLabel ?? t("composer.send")}
            price={isPhone ? props.price : null}
            disabled={!canSend}
            onClick={props.onSend}
          />
        )}
      </div>
      <Notice blocked={props.blocked} length={value.length} most={maxCharacters} />
      {drop.isOver && <div className={styles.drop}>{t("composer.drop")}</div>}
    </div>
  );
}

type SendButtonProps = {
  label: string;
  /** Shown on the button. */
  price: ReactNode;
  disabled: boolean;
  onClick: () => void;
};

function SendButton({ label, price, disabled, onClick }: SendButtonProps) {
  if (!price)
    return (
      <IconButton
        variant="accent"
        className={styles.send}
        icon={ArrowUp}
        label={label}
        shortcut="enter"
        disabled={disabled}
        onClick={onClick}
      />
    );
  return (
    <button
      type="button"
      className={classes(styles.send, styles.pricedSend)}
      disabled={disabled}
      onClick={onClick}
    >
      <VisuallyHidden>{label}</VisuallyHidden>
      <span className={styles.sendPrice}>{price}</span>
      <ArrowUp aria-hidden />
    </button>
  );
}

function Notice({
  blocked,
  length,
  most,
}: {
  blocked?: string | null;
  length: number;
  most: number;
}) {
  if (length > most * shownFrom) {
    const text = t("composer.tooLong", { count: length, most });
    return (
      <p
        className={classes(styles.notice, length > most && styles.bad)}
        role={length > most ? "alert" : undefined}
      >
        {text}
      </p>
    );
  }
  return blocked ? <p className={styles.notice}>{blocked}</p> : null;
}

import { Mic, SlidersHorizontal } from "lucide-react";
import { type RefObject, useEffect, useState } from "react";
import { providerTools } from "#contract/filters/provider-tools.ts";
import { BudgetLink } from "../../../components/budgets/budget-link.tsx";
import {
  acceptedTypes,
  findUnreadable,
  findUnsearched,
} from "../../../components/composer/attachment-kinds.ts";
import { Composer, type ComposerHandle } from "../../../components/composer/composer.tsx";
import { DraftFiles } from "../../../components/composer/draft-files.tsx";
import type { DraftFile } from "../../../components/composer/message-draft.ts";
import { ModelPicker } from "../../../components/composer/model-picker.tsx";
import { PriceText, useNextPrice } from "../../../components/composer/next-price.tsx";
import { OtherModels } from "../../../components/composer/other-models.tsx";
import type { useAttachments } from "../../../components/composer/use-attachments.ts";
import type { ChosenModel } from "../../../components/composer/use-chosen-model.ts";
import {
  type BrokenModel,
  isBroken,
  type OtherModels as Others,
} from "../../../components/composer/use-other-models.ts";
import { isProblem } from "../../../data/client.ts";
import { useActions } from "../../../frame/action-button.tsx";
import { ActionPopover } from "../../../frame/action-popover.tsx";
import { formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { firstPart, lazyPart } from "../../../ui/lazy-part.ts";
import { OptionalPart, Part } from "../../../ui/part.tsx";
import { useWidth } from "../../../ui/use-width.ts";
import { ChooseContextButton } from "../context/choose-context.tsx";
import { ContextMeter } from "../context/lazy-context.ts";
import { readPending } from "../voice/pending-dictation.ts";
import styles from "./chat-composer.module.css";
import settingsStyles from "./settings-form.module.css";

const Dictation = lazyPart(
  () => import("../voice/dictation.tsx").then(({ Dictation }) => Dictation),
  "voice",
);

const ToolSwitches = firstPart(
  () => import("../switches/tool-switches.tsx").then(({ ToolSwitches }) => ToolSwitches),
  "switches",
);

const SettingsForm = lazyPart(
  () => import("./settings-form.tsx").then(({ SettingsForm }) => SettingsForm),
  "switches",
  "tools",
);

export type ChatComposerProps = {
  projectId: string;
  userId: string;
  /** Undefined before the first message. */
  conversationId: string | undefined;
  /** The message that the new one follows. */
  parentId: string | null;
  text: string;
  files: readonly DraftFile[];
  onText: (text: string) => void;
  attachments: ReturnType<typeof useAttachments>;
  chosen: ChosenModel;
  /** The models that answer side by side. */
  others: Others;
  /** A temporary chat takes no files, and its tools create none. */
  isTemporary: boolean;
  /** The conversation's settings are still loading. */
  isLoading: boolean;
  conversation: { systemPrompt: string; settings: Record<string, unknown> };
  onSettings: (change: { systemPrompt?: string; settings?: Record<string, unknown> }) => void;
  isSending: boolean;
  /** The previous message waits for the server. */
  isUnsent: boolean;
  isRunning: boolean;
  /** The reason that the last message wasn't saved. */
  error: unknown;
  isReply: boolean;
  onSend: () => void;
  onStop: () => void;
  onEditLast?: () => void;
  ref: RefObject<ComposerHandle | null>;
};

/** The composer of a conversation: text, files, dictation, model and settings. */
export function ChatComposer(props: ChatComposerProps) {
  const { text, files, attachments, chosen, error } = props;
  const { models } = props.others;
  const price = useNextPrice({ ...props, others: models });
  const readers = chosen.model ? [chosen.model, ...models] : [];
  const unreadable = findUnreadable(readers, files);
  const unsearched = findUnsearched(files, props.conversation.settings);
  const isPhone = useWidth() === "phone";
  const dictation = useDictation(props.userId, props.conversationId ?? props.projectId);
  const dictate = { id: "chat.dictate", title: t("chat.dictate"), icon: Mic, run: dictation.open };
  useActions(props.isTemporary ? [] : [dictate]);
  return (
    <div className={styles.place}>
      {error !== null && error !== undefined && (
        <div className={styles.problem}>
          <ErrorState
            compact
            error={error}
            safe={t("chat.send.safe")}
            onRetry={props.onSend}
            action={<ErrorLink error={error} />}
          />
        </div>
      )}
      {attachments.problem && (
        <p className={styles.refused} role="alert">
          <span>{attachments.problem}</span>
          <Button size="small" variant="ghost" onClick={attachments.dismissProblem}>
            {t("ui.close")}
          </Button>
        </p>
      )}
      {props.others.list.filter(isBroken).map((other) => (
        <BrokenModelNotice
          key={`${other.ref.connectionId} ${other.ref.modelId}`}
          other={other}
          name={chosen.nameOf(other.ref)}
          onRemove={() => props.others.remove(other.ref)}
        />
      ))}
      {dictation.isOpen && !props.isTemporary && (
        <Part>
          <Dictation
            key={dictation.place.id}
            place={dictation.place}
            projectId={props.projectId}
            field={() => props.ref.current?.field() ?? null}
            onClose={dictation.close}
            onOpen={dictation.open}
          />
        </Part>
      )}
      <Composer
        ref={props.ref}
        value={text}
        onValueChange={props.onText}
        placeholder={t(props.isReply ? "chat.reply" : "chat.ask")}
        label={t("composer.label")}
        onSend={props.onSend}
        canSendEmpty={files.length > 0}
        blocked={blockedText(props, unreadable, unsearched)}
        sendLabel={
          models.length > 0
            ? price && !isPhone
              ? t("chat.send.several.priced", {
                  count: models.length + 1,
                  price: formatPrice(price),
                })
              : t("chat.send.several", { count: models.length + 1 })
            : undefined
        }
        isRunning={props.isRunning}
        onStop={props.onStop}
        onEditLast={props.onEditLast}
        attach={
          props.isTemporary
            ? undefined
            : {
                projectId: props.projectId,
                accept: acceptedTypes,
                kind: "file",
                room: attachments.room,
                onFiles: (added) => void attachments.add(added),
                onAssets: attachments.attach,
              }
        }
        attachments={
          (files.length > 0 || attachments.uploading.length > 0) && (
            <DraftFiles files={files} attachments={attachments} />
          )
        }
        model={
          <>
            <ModelPicker
              projectId={props.projectId}
              model={chosen.model}
              onChoose={chosen.choose}
            />
            <OtherModels
              projectId={props.projectId}
              chosen={chosen.ref}
              others={props.others}
              nameOf={chosen.nameOf}
            />
          </>
        }
        hasModelLine={props.others.list.length > 0}
        switches={
          props.isLoading ? (
            <span className={styles.space} />
          ) : (
            <OptionalPart fallback={<span className={styles.space} />}>
              <ToolSwitches
                projectId={props.projectId}
                isTemporary={props.isTemporary}
                models={readers}
                settings={props.conversation.settings}
                onSettings={props.onSettings}
              />
            </OptionalPart>
          )
        }
        tools={
          <>
            {/* Recordings and transcripts are saved, unlike a temporary chat's messages. */}
            {!props.isTemporary && (
              <IconButton
                icon={Mic}
                label={t("chat.dictate")}
                pressed={dictation.isOpen || undefined}
                onClick={dictation.open}
              />
            )}
            <Settings {...props} />
          </>
        }
        meter={
          props.conversationId !== undefined && (
            <OptionalPart>
              <ContextMeter {...props} others={undefined} />
            </OptionalPart>
          )
        }
        price={price && <PriceText price={price} />}
        autoFocus={!matchMedia("(pointer: coarse)").matches}
      />
    </div>
  );
}

/** The conversation's system prompt and the model's settings. */
function Settings({ projectId, chosen, isTemporary, conversation, onSettings }: ChatComposerProps) {
  const { systemPrompt, settings } = conversation;
  // Tools have their own switches.
  const isChanged =
    systemPrompt !== "" ||
    Object.keys(settings).some((name) => name !== "tools" && !(name in providerTools));
  return (
    <ActionPopover
      act="chat.settings"
      icon={SlidersHorizontal}
      title={t("chat.settings")}
      side="top"
      align="start"
      width={360}
      trigger={
        <IconButton
          icon={SlidersHorizontal}
          label={t(isChanged ? "chat.settings.changed" : "chat.settings")}
          pressed={isChanged || undefined}
        />
      }
    >
      <Part
        fallback={
          <div className={settingsStyles.form} aria-busy="true">
            <SkeletonText lines={6} />
          </div>
        }
      >
        <SettingsForm
          projectId={projectId}
          canUseTools={chosen.model?.capabilities.tools !== false}
          isTemporary={isTemporary}
          systemPrompt={systemPrompt}
          settings={settings}
          modelName={chosen.model?.name ?? t("chat.model.none")}
          kind={chosen.model?.connectionKind}
          inputSchema={chosen.inputSchema}
          onChange={onSettings}
        />
      </Part>
    </ActionPopover>
  );
}

/** Opened by the button, or by an unfinished recording of this draft on the device. */
function useDictation(userId: string, id: string) {
  const [open, setOpen] = useState<string | null>(null);
  useEffect(() => setOpen(readPending({ userId, id }) === null ? null : id), [userId, id]);
  return {
    place: { userId, id },
    isOpen: open === id,
    open: () => setOpen(id),
    close: () => setOpen(null),
  };
}

/** The reason that the message can't be sent yet. */
function blockedText(
  {
    attachments,
    chosen,
    others,
    isTemporary,
    files,
    isSending,
    isUnsent,
    error,
  }: ChatComposerProps,
  unreadable: { file: string; model: string } | undefined,
  unsearched: ReturnType<typeof findUnsearched<DraftFile>>,
): string | null {
  if (attachments.uploading.length > 0) return t("chat.send.uploading");
  // Attached before the chat was made temporary.
  if (isTemporary && files.length > 0) return t("chat.send.temporary");
  const broken = others.list.find(isBroken);
  if (broken) return t(`chat.send.${broken.state}`, { name: chosen.nameOf(broken.ref) });
  if (unreadable !== undefined) return t("chat.attach.unreadable", unreadable);
  if (unsearched !== undefined) {
    const { file, because } = unsearched;
    return t(`chat.send.unsearched.${because}`, { file: file.name });
  }
  if (chosen.hasNone) return t("chat.model.noneAtAll");
  if (isUnsent) return t("chat.send.waits");
  if (isSending && !error) return t("chat.send.now");
  return null;
}

type BrokenModelNoticeProps = { other: BrokenModel; name: string; onRemove: () => void };

/** A side-by-side model that is unavailable. Nothing is sent until it is removed or works. */
function BrokenModelNotice({ other, name, onRemove }: BrokenModelNoticeProps) {
  return (
    <p className={styles.refused} role="alert">
      <span>{t(`chat.model.${other.state}`, { name })}</span>
      {other.state === "failed" && (
        <Button size="small" onClick={other.retry}>
          {t("ui.tryAgain")}
        </Button>
      )}
      <Button size="small" variant="ghost" onClick={onRemove}>
        {t("chat.model.remove", { name })}
      </Button>
    </p>
  );
}

/** A link that resolves a refusal: to the context or the budget. */
function ErrorLink({ error }: { error: unknown }) {
  return isProblem(error, "context_full") ? <ChooseContextButton /> : <BudgetLink error={error} />;
}

import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import type { Message, ModelDetail } from "#contract/entities.ts";
import { conversationQuery } from "../../../data/queries/conversation.queries.ts";
import { modelQuery } from "../../../data/queries/models.queries.ts";
import { useStored } from "../../../data/saved/use-stored.ts";
import { useSession } from "../../../data/shell-data.ts";
import { sumPrices } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { Select } from "../../../ui/controls/select.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { ModelChoice } from "./model-choice.tsx";
import { Player } from "./player.tsx";
import styles from "./read-aloud.module.css";
import { planReading, type ReadingPlan, voicesOf } from "./reading-plan.ts";
import { AskFirst, Failed, Making } from "./reading-states.tsx";
import { spokenText } from "./spoken-text.ts";
import { useReading } from "./use-reading.ts";
import { useVoiceModels, type VoiceModels } from "./voice-models.ts";
import { NoModel } from "./voice-notice.tsx";

export type ReadAloudProps = { message: Message; text: string; onClose: () => void };

/** Reads an answer aloud: plays the existing parts and makes the others one by one. */
export function ReadAloud({ message, text, onClose }: ReadAloudProps) {
  const { projects } = useSession();
  const conversation = useQuery(conversationQuery(message.conversationId)).data?.conversation;
  const projectId = conversation?.projectId ?? "";
  const models = useVoiceModels(projectId, "speech");
  const detail = useQuery(modelQuery(projectId, models.chosen)).data;
  const mayMake = projects.find(({ id }) => id === projectId)?.role !== "viewer";
  const words = spokenText(text, { code: t("voice.code"), maths: t("voice.maths") });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is sent together
    <div role="group" aria-label={t("chat.readAloud")} className={styles.panel}>
      {models.error ? (
        <ErrorState compact error={models.error} onRetry={models.retry} />
      ) : !models.isLoading && !models.chosen ? (
        <NoModel task="speech" onClose={onClose} />
      ) : detail ? (
        <Reading
          key={`${detail.connectionId} ${detail.modelId}`}
          {...{ projectId, message, words, models, mayMake, onClose }}
          model={detail}
        />
      ) : (
        <p className={styles.line}>{t("ui.loading")}</p>
      )}
      <IconButton
        size="small"
        className={styles.close}
        icon={X}
        label={t("ui.close")}
        onClick={onClose}
      />
    </div>
  );
}

type ReadingProps = {
  projectId: string;
  message: Message;
  words: string;
  model: ModelDetail;
  models: VoiceModels;
  mayMake: boolean;
  onClose: () => void;
};

function Reading({ projectId, message, words, model, models, mayMake, onClose }: ReadingProps) {
  const voices = voicesOf(model);
  const [stored, setVoice] = useStored(`speech-voice:${model.connectionId}:${model.modelId}`, "");
  const voice = voices && (voices.voices.includes(stored) ? stored : voices.own);
  const plan = planReading(model, words, voice);
  const choices = (
    <>
      <ModelChoice projectId={projectId} models={models} />
      {voices && (
        <Select
          className={styles.voice}
          aria-label={t("voice.voice")}
          value={voice}
          options={voices.voices.map((value) => ({ value, label: value }))}
          onValueChange={setVoice}
        />
      )}
    </>
  );
  if (!plan) return <Note text={t("voice.asksMore", { name: model.name })}>{choices}</Note>;
  if (plan.inputs.length === 0) return <Note text={t("voice.nothingToRead")} />;
  return (
    <Parts
      key={voice}
      {...{ projectId, message, model, models, mayMake, onClose, plan, choices }}
    />
  );
}

function Note({ text, children }: { text: string; children?: React.ReactNode }) {
  return (
    <div className={styles.line} role="alert">
      <span>{text}</span>
      {children}
    </div>
  );
}

type PartsProps = Omit<ReadingProps, "words"> & { plan: ReadingPlan; choices: React.ReactNode };

/** Plays the parts in sequence and makes the next one while one plays. */
function Parts({ projectId, message, model, models, mayMake, onClose, plan, choices }: PartsProps) {
  const reading = useReading(projectId, message.id);
  const [place, setPlace] = useState(0);
  const [isAllowed, setAllowed] = useStored(`reading-allowed:${message.conversationId}`, false);
  const [isConfirmed, setConfirmed] = useState(false);
  const { inputs } = plan;
  const states = inputs.map((input) => reading.stateOf(model, input));
  const missing = inputs.filter(
    (_, at) => states[at]?.is === "none" || states[at]?.is === "failed",
  );
  const price = sumPrices(missing.map((input) => models.priceOf(model, input)));
  const state = states[place] ?? { is: "none" };
  const mayBuy = mayMake && (price.kind === "free" || isAllowed || isConfirmed);

  const make = useEffectEvent((at: number) => {
    const input = inputs[at];
    if (input) void reading.buy(model, input);
  });
  const isWanted = (at: number) =>
    mayBuy && !reading.isLoading && !reading.error && states[at]?.is === "none";
  const wantsThis = isWanted(place);
  // The next part is bought only while one plays, so that nobody pays for parts they never hear.
  const wantsNext = state.is === "kept" && isWanted(place + 1);
  useEffect(() => {
    if (wantsThis) make(place);
  }, [wantsThis, place]);
  useEffect(() => {
    if (wantsNext) make(place + 1);
  }, [wantsNext, place]);

  if (reading.error) return <ErrorState compact error={reading.error} onRetry={reading.retry} />;
  if (state.is === "kept")
    return (
      <Player
        key={state.assetId}
        assetId={state.assetId}
        place={place}
        count={inputs.length}
        onPlace={setPlace}
        choices={choices}
      />
    );
  if (state.is === "failed")
    return (
      <Failed run={state.run} choices={choices} onAgain={mayMake ? () => make(place) : undefined} />
    );
  if (state.is === "coming" || mayBuy || reading.isLoading)
    return (
      <Making
        run={state.is === "coming" ? state.run : null}
        place={place}
        count={inputs.length}
        choices={choices}
        onStop={onClose}
      />
    );
  if (!mayMake) return <Note text={t("voice.viewer")} />;
  return (
    <AskFirst
      name={model.name}
      price={price}
      parts={missing.length}
      choices={choices}
      onYes={(isAlways) => {
        if (isAlways) setAllowed(true);
        setConfirmed(true);
      }}
    />
  );
}

import { ModelPicker } from "../../../components/composer/model-picker.tsx";
import { t } from "../../../messages/t.ts";
import type { VoiceModels } from "./voice-models.ts";

const labels = { speech: "voice.readsAloud", transcription: "voice.writesDown" } as const;

/** Chooses and remembers the model. */
export const ModelChoice = ({ projectId, models }: { projectId: string; models: VoiceModels }) => (
  <ModelPicker
    projectId={projectId}
    task={models.task}
    label={t(labels[models.task])}
    act={`voice.model.${models.task}`}
    model={models.chosen}
    onChoose={models.choose}
  />
);

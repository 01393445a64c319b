import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ModelRef, PersonDefaults } from "#contract/entities.ts";
import { pictureShapes } from "#contract/picture-shapes.ts";
import { ModelPicker } from "../../components/composer/model-picker.tsx";
import { meQuery } from "../../data/app-data.ts";
import { toModelRef } from "../../data/model-ref.ts";
import { modelQuery } from "../../data/queries/models.queries.ts";
import { useUpdatePreferences } from "../../data/queries/settings.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { PageColumn, PageSection } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Segmented } from "../../ui/controls/segmented.tsx";
import { SelectField } from "../../ui/controls/select.tsx";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";
import styles from "./title-model.module.css";

/** The defaults for new chats and pictures. */
export function DefaultsSection() {
  const { data: me } = useQuery(meQuery);
  const update = useUpdatePreferences();
  const onError = useErrorToast();
  if (!me) return null;
  const { defaults } = me.user;
  const set = (change: Partial<PersonDefaults>) => update.mutate({ defaults: change }, { onError });
  return (
    <PageColumn>
      <PageSection title={t("settings.defaults.chat")} intro={t("settings.defaults.chat.intro")}>
        <DefaultModel
          task="chat"
          chosen={defaults.chatModel}
          onChoose={(chatModel) => set({ chatModel })}
        />
      </PageSection>
      <PageSection
        title={t("settings.defaults.picture")}
        intro={t("settings.defaults.picture.intro")}
      >
        <div className={styles.fields}>
          <DefaultModel
            task="image"
            chosen={defaults.pictureModel}
            onChoose={(pictureModel) => set({ pictureModel })}
          />
          <SelectField
            label={t("settings.defaults.shape")}
            hint={t("settings.defaults.shape.hint")}
            value={defaults.pictureShape ?? ""}
            onValueChange={(value) =>
              set({ pictureShape: pictureShapes.find((shape) => shape === value) ?? null })
            }
            options={[
              { value: "", label: t("settings.defaults.shape.own") },
              ...pictureShapes.map((shape) => ({ value: shape as string, label: shape })),
            ]}
          />
        </div>
      </PageSection>
      <PageSection
        title={t("settings.notices")}
        intro={
          <>
            {t("settings.defaults.notices.intro")}{" "}
            <Link to="/settings/$section" params={{ section: "notices" }} className={styles.link}>
              {t("settings.defaults.notices.device")}
            </Link>
          </>
        }
      >
        <Segmented
          label={t("settings.notices")}
          value={defaults.notices ?? "off"}
          onValueChange={(notices: "off" | "long") => set({ notices })}
          options={[
            { value: "off", label: t("settings.notices.off") },
            { value: "long", label: t("settings.notices.long") },
          ]}
        />
      </PageSection>
    </PageColumn>
  );
}

type DefaultModelProps = {
  task: "chat" | "image";
  chosen: ModelRef | null;
  onChoose: (model: ModelRef | null) => void;
};

function DefaultModel({ task, chosen, onChoose }: DefaultModelProps) {
  const { project } = useSession();
  const found = useQuery(modelQuery(project.id, chosen));
  const model = (chosen && found.data) || null;
  return (
    <div className={styles.title}>
      <ModelPicker
        projectId={project.id}
        task={task}
        act={`model.default.${task}`}
        side="bottom"
        model={model}
        mustChoose={model === null}
        onChoose={(choice) => onChoose(toModelRef(choice))}
      />
      {chosen && (
        <Button variant="ghost" onClick={() => onChoose(null)}>
          {t("settings.defaults.clear")}
        </Button>
      )}
      <p className={styles.price}>
        {chosen === null
          ? t(`settings.defaults.${task}.lastUsed`)
          : found.isError
            ? t("settings.defaults.gone")
            : t(`settings.defaults.${task}.set`)}
      </p>
    </div>
  );
}

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Model, ModelRef, PersonDefaults } from "#contract/entities.ts";
import { pictureShapes } from "#contract/picture-shapes.ts";
import { ModelPicker } from "../../components/composer/model-picker.tsx";
import { meQuery } from "../../data/app-data.ts";
import { toModelPath, toModelRef } from "../../data/model-ref.ts";
import { modelQuery, modelsQuery } from "../../data/queries/models.queries.ts";
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
        <ChatModel chosen={defaults.chatModel} onChoose={(chatModel) => set({ chatModel })} />
      </PageSection>
      <PageSection
        title={t("settings.defaults.picture")}
        intro={t("settings.defaults.picture.intro")}
      >
        <div className={styles.fields}>
          <PictureModel
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

type Choosing = { chosen: ModelRef | null; onChoose: (model: ModelRef | null) => void };

function ChatModel({ chosen, onChoose }: Choosing) {
  const { project } = useSession();
  const found = useQuery(modelQuery(project.id, chosen));
  const model = (chosen && found.data) || null;
  return (
    <div className={styles.title}>
      <ModelPicker
        projectId={project.id}
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
        {t(
          chosen === null
            ? "settings.defaults.lastUsed"
            : found.isError
              ? "settings.defaults.gone"
              : "settings.defaults.chat.set",
        )}
      </p>
    </div>
  );
}

const toOption = (model: Pick<Model, "connectionId" | "modelId" | "name" | "connectionName">) => ({
  value: toModelPath(model),
  label: model.name,
  detail: model.connectionName,
});

function PictureModel({ chosen, onChoose }: Choosing) {
  const { project } = useSession();
  const listed = useInfiniteQuery(modelsQuery(project.id, { task: "image" }));
  const found = useQuery(modelQuery(project.id, chosen));
  const models = listed.data?.pages.flatMap((page) => page.models) ?? [];
  const all = found.data ? [found.data, ...models] : models;
  const options = [...new Map(all.map((model) => [toModelPath(model), model])).values()];
  return (
    <SelectField
      label={t("settings.defaults.picture.model")}
      error={chosen && found.isError ? t("settings.defaults.gone") : null}
      value={chosen ? toModelPath(chosen) : ""}
      onValueChange={(path) => {
        const model = options.find((one) => toModelPath(one) === path);
        onChoose(model ? toModelRef(model) : null);
      }}
      options={[
        { value: "", label: t("settings.defaults.lastUsed.short") },
        ...options.map(toOption),
      ]}
      search={{
        label: t("settings.defaults.picture.search"),
        empty: t("settings.defaults.picture.none"),
      }}
    />
  );
}

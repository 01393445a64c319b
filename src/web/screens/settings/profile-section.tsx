import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { User } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import styles from "../../components/account/account.module.css";
import { FormError } from "../../components/account/form-error.tsx";
import { meQuery } from "../../data/app-data.ts";
import { fieldError } from "../../data/field-problem.ts";
import { useUpdateMe } from "../../data/queries/settings.queries.ts";
import { PageColumn, PageSection } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/text-field.tsx";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { lazyPart } from "../../ui/lazy-part.ts";
import { useToast } from "../../ui/overlays/toast.tsx";
import { Part } from "../../ui/part.tsx";
import { RegionForm } from "./region-form.tsx";

const TitleModel = lazyPart(() => import("./title-model.tsx").then(({ TitleModel }) => TitleModel));

export function ProfileSection() {
  const { data: me } = useQuery(meQuery);
  if (!me) return null;
  return (
    <PageColumn>
      <PageSection title={t("settings.profile.you")}>
        <NameForm user={me.user} />
      </PageSection>
      <PageSection title={t("settings.titles")} intro={t("settings.titles.intro")}>
        <Part fallback={<SkeletonText lines={2} />}>
          <TitleModel chosen={me.user.titleModel} />
        </Part>
      </PageSection>
      <PageSection title={t("settings.region")} intro={t("settings.region.intro")}>
        <RegionForm user={me.user} />
      </PageSection>
    </PageColumn>
  );
}

function NameForm({ user }: { user: User }) {
  const [name, setName] = useState(user.name);
  const [isMissing, setMissing] = useState(false);
  const update = useUpdateMe();
  const toast = useToast();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(!name.trim());
    if (name.trim())
      update.mutate({ name }, { onSuccess: () => toast({ text: t("settings.profile.saved") }) });
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <TextField
        label={t("settings.profile.name")}
        error={isMissing ? t("settings.profile.name.needed") : fieldError(update.error, "name")}
        value={name}
        onValueChange={setName}
        autoComplete="name"
        maxLength={limits.nameCharacters}
      />
      <TextField
        label={t("settings.profile.email")}
        hint={t("settings.profile.email.hint")}
        aside={t(`role.${user.role}`)}
        value={user.email}
        onValueChange={() => undefined}
        readOnly
      />
      <FormError error={update.error} fields={["name"]} />
      <div className={styles.submit}>
        <Button
          type="submit"
          variant="primary"
          busy={update.isPending}
          disabled={name.trim() === user.name}
        >
          {t("ui.save")}
        </Button>
      </div>
    </form>
  );
}

import { PageColumn, PageSection } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { lazyPart } from "../../ui/lazy-part.ts";
import { Part } from "../../ui/part.tsx";
import { PasswordForm } from "./password-form.tsx";
import { SessionList } from "./session-list.tsx";

const DeleteAccountSection = lazyPart(
  () =>
    import("../../components/deletion/delete-section.tsx").then(
      ({ DeleteAccountSection }) => DeleteAccountSection,
    ),
  "deletion",
);

export function SecuritySection() {
  return (
    <PageColumn>
      <PageSection title={t("settings.password")} intro={t("settings.password.intro")}>
        <PasswordForm />
      </PageSection>
      <SessionList />
      <Part>
        <DeleteAccountSection />
      </Part>
    </PageColumn>
  );
}

import { PageColumn, PageSection } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { PasswordForm } from "./password-form.tsx";
import { SessionList } from "./session-list.tsx";

export function SecuritySection() {
  return (
    <PageColumn>
      <PageSection title={t("settings.password")} intro={t("settings.password.intro")}>
        <PasswordForm />
      </PageSection>
      <SessionList />
    </PageColumn>
  );
}

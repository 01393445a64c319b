import { t } from "../../messages/t.ts";
import { PageColumn, PageSection } from "../../shell/page.tsx";
import { PasswordForm } from "./password-form.tsx";
import { SessionList } from "./session-list.tsx";
import { SettingsFrame } from "./settings-frame.tsx";

export function SecuritySection() {
  return (
    <SettingsFrame section="security">
      <PageColumn>
        <PageSection title={t("settings.password")} intro={t("settings.password.intro")}>
          <PasswordForm />
        </PageSection>
        <SessionList />
      </PageColumn>
    </SettingsFrame>
  );
}

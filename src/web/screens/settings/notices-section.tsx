import { useState } from "react";
import { useNoticeChoice } from "../../components/notices/notice-choice.ts";
import { readNoticePermission } from "../../components/notices/visible-tab.ts";
import { PageColumn, PageSection } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { Segmented } from "../../ui/controls/segmented.tsx";

/** Whether this browser notifies of work that ended while the person was elsewhere. */
export function NoticesSection() {
  const [choice, setChoice] = useNoticeChoice();
  const [asked, setPermission] = useState(readNoticePermission);
  const permission = choice === "missing" ? "missing" : asked;
  const isPossible = permission === "granted" || permission === "default";
  const choose = async (next: "off" | "long") => {
    if (next === "off") return setChoice(next);
    const answer = await Notification.requestPermission();
    setPermission(answer);
    setChoice(answer === "granted" ? "long" : "off");
  };
  return (
    <PageColumn>
      <PageSection title={t("settings.notices")} intro={t("settings.notices.intro")}>
        {isPossible ? (
          <Segmented
            label={t("settings.notices")}
            value={choice === "long" && permission === "granted" ? "long" : "off"}
            onValueChange={(next: "off" | "long") => void choose(next)}
            options={[
              { value: "off", label: t("settings.notices.off") },
              { value: "long", label: t("settings.notices.long") },
            ]}
          />
        ) : (
          <p role="status">{t(`settings.notices.${permission}`)}</p>
        )}
      </PageSection>
    </PageColumn>
  );
}

import { Monitor, Moon, Rows3, Rows4, Sun } from "lucide-react";
import { useUpdatePreferences } from "../../data/queries/settings.queries.ts";
import { type Theme, useAppearance } from "../../data/saved/appearance.ts";
import { PageColumn, PageSection } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { Segmented } from "../../ui/controls/segmented.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";

/** Theme and density, both applied immediately. */
export function AppearanceSection() {
  const [{ theme, density }, setAppearance] = useAppearance();
  const update = useUpdatePreferences();
  const toast = useToast();
  const chooseTheme = (next: Theme) => {
    setAppearance({ theme: next });
    update.mutate(
      { theme: next },
      {
        onError: (error) =>
          toast({ kind: "error", text: t("settings.appearance.notKept"), detail: error.message }),
      },
    );
  };
  return (
    <PageColumn>
      <PageSection
        title={t("settings.appearance.theme")}
        intro={t("settings.appearance.theme.intro")}
      >
        <Segmented
          label={t("settings.appearance.theme")}
          value={theme}
          onValueChange={chooseTheme}
          options={[
            { value: "system", label: t("settings.appearance.system"), icon: Monitor },
            { value: "light", label: t("settings.appearance.light"), icon: Sun },
            { value: "dark", label: t("settings.appearance.dark"), icon: Moon },
          ]}
        />
      </PageSection>
      <PageSection
        title={t("settings.appearance.density")}
        intro={t("settings.appearance.density.intro")}
      >
        <Segmented
          label={t("settings.appearance.density")}
          value={density}
          onValueChange={(next) => setAppearance({ density: next })}
          options={[
            { value: "comfortable", label: t("settings.appearance.comfortable"), icon: Rows3 },
            { value: "compact", label: t("settings.appearance.compact"), icon: Rows4 },
          ]}
        />
      </PageSection>
    </PageColumn>
  );
}

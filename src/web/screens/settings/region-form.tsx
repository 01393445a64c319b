import { MapPin } from "lucide-react";
import type { User } from "#contract/entities.ts";
import styles from "../../components/account/account.module.css";
import { useUpdatePreferences } from "../../data/queries/settings.queries.ts";
import {
  deviceTimeZone,
  formatLocales,
  listTimeZones,
  nameLocale,
  nameTimeZone,
  otherNameOf,
} from "../../data/regions.ts";
import { formatExact, formatMoney } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField } from "../../ui/controls/select.tsx";
import { useNow } from "../../ui/display/time.tsx";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";

/** Format and time zone, with an example. */
export function RegionForm({ user }: { user: User }) {
  const update = useUpdatePreferences();
  const showError = useErrorToast();
  const now = useNow();
  const save = (change: { locale?: string; timeZone?: string }) =>
    update.mutate(change, {
      // Formatted text is memoized, so only a reload formats all of it again.
      onSuccess: () => location.reload(),
      onError: showError,
    });
  const device = deviceTimeZone();
  const locales = [...new Set<string>([...formatLocales, user.locale])];
  return (
    <div className={styles.form}>
      <SelectField
        label={t("settings.region.format")}
        aside={formatMoney(1_204_500_000)}
        value={user.locale}
        onValueChange={(locale) => save({ locale })}
        options={locales.map((tag) => ({ value: tag, label: nameLocale(tag) }))}
      />
      <SelectField
        label={t("settings.region.zone")}
        aside={formatExact(now)}
        hint={
          user.timeZone === device ? undefined : t("settings.region.zone.hint", { zone: device })
        }
        search={{ label: t("settings.region.zone.search"), empty: t("settings.region.zone.none") }}
        value={user.timeZone}
        onValueChange={(timeZone) => save({ timeZone })}
        options={listTimeZones(user.timeZone).map((zone) => ({
          value: zone,
          label: nameTimeZone(zone),
          alias: otherNameOf(zone),
        }))}
      />
      {user.timeZone !== device && (
        <div className={styles.submit}>
          <Button size="small" icon={MapPin} onClick={() => save({ timeZone: device })}>
            {t("settings.region.useDevice")}
          </Button>
        </div>
      )}
    </div>
  );
}

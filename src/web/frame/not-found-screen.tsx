import { Link } from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { t } from "../messages/t.ts";
import { buttonClass } from "../ui/controls/button.tsx";
import { EmptyState } from "../ui/display/empty-state.tsx";
import { Screen } from "./screen.tsx";

/** An address without a screen. */
export function NotFoundScreen() {
  const home = (
    <Link to="/" className={buttonClass({ variant: "primary" })}>
      {t("shell.crashed.home")}
    </Link>
  );
  return (
    <Screen title={t("screen.notFound")}>
      <EmptyState icon={Compass} title={t("shell.notFound")} action={home}>
        {t("shell.notFound.text")}
      </EmptyState>
    </Screen>
  );
}

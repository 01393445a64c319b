import { Link } from "@tanstack/react-router";
import { Plug } from "lucide-react";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";

/** The link to add a first connection, on screens without models. */
export const ConnectServiceLink = () => (
  <Link
    to="/settings/$section"
    params={{ section: "connections" }}
    search={{ add: "" }}
    className={buttonClass({ variant: "primary" })}
  >
    <Plug aria-hidden size={16} />
    {t("models.empty.action")}
  </Link>
);

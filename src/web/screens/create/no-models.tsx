import { Plug } from "lucide-react";
import { ConnectServiceLink } from "../../components/connections/connect-service-link.tsx";
import { EmptyState } from "../../ui/display/empty-state.tsx";

/** Shown in place of a form or of results that need a connection first. */
export const NoModels = ({ title, text }: { title: string; text: string }) => (
  <EmptyState icon={Plug} title={title} action={<ConnectServiceLink />}>
    {text}
  </EmptyState>
);

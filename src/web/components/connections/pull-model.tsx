import { useQueryClient } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { routePath } from "../../data/client.ts";
import { refreshAfter } from "../../data/keys.ts";
import { readEvents } from "../../data/live/read-events.ts";
import { formatBytes, formatShare } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/text-field.tsx";
import { ProgressBar } from "../../ui/display/progress.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import styles from "./connections.module.css";
import { ProviderProblem } from "./provider-problem.tsx";

type PullStep = { status: string; done?: number; total?: number };
type Pulling = { model: string; step: PullStep | null };

/**
 * Makes a local server pull a model and shows its progress in bytes. Leaving the page or pressing
 * Stop ends the pull; the server keeps the downloaded part.
 */
export function PullModel({ connectionId }: { connectionId: string }) {
  const [name, setName] = useState("");
  const [pulling, setPulling] = useState<Pulling | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isMissing, setMissing] = useState(false);
  const stopper = useRef<AbortController | null>(null);
  const queryClient = useQueryClient();
  const toast = useToast();
  useEffect(() => () => stopper.current?.abort(), []);

  const pull = async (model: string) => {
    const controller = new AbortController();
    stopper.current = controller;
    setError(null);
    setPulling({ model, step: null });
    try {
      const response = await fetch(routePath("pullLocalModel", { params: { connectionId } }), {
        method: "POST",
        headers: { "content-type": "application/json", accept: "text/event-stream" },
        body: JSON.stringify({ model }),
        signal: controller.signal,
      });
      let isDone = false;
      for await (const event of readEvents(response)) {
        if (event.type === "progress") setPulling({ model, step: event.payload as PullStep });
        isDone = event.type === "done";
      }
      if (!isDone) throw new TypeError("fetch: the pull broke off");
      toast({ text: t("connections.local.pulled", { name: model }) });
      setName("");
    } catch (caught) {
      if (!controller.signal.aborted) setError(caught);
    } finally {
      setPulling(null);
      await refreshAfter(queryClient, "connection");
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const model = name.trim();
    setMissing(model === "");
    if (model) void pull(model);
  };
  return (
    <form className={styles.pull} onSubmit={submit} noValidate>
      <TextField
        label={t("connections.local.name")}
        hint={t("connections.local.nameHint")}
        error={isMissing ? t("connections.field.needed") : null}
        value={name}
        onValueChange={setName}
        placeholder="llama3.2"
        disabled={pulling !== null}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={400}
        end={
          pulling ? (
            // Two buttons instead of one that changes: with the same element, the press that stops
            // would submit the form in its new role.
            <Button key="stop" onClick={() => stopper.current?.abort()}>
              {t("connections.local.stop")}
            </Button>
          ) : (
            <Button key="start" type="submit" icon={Download}>
              {t("connections.local.start")}
            </Button>
          )
        }
      />
      {pulling && <PullProgress {...pulling} />}
      <ProviderProblem error={error} />
    </form>
  );
}

function PullProgress({ model, step }: Pulling) {
  const share = step?.done !== undefined && step.total ? step.done / step.total : null;
  const sizes =
    share === null
      ? ""
      : `${formatBytes(step?.done ?? 0)} / ${formatBytes(step?.total ?? 0)} · ${formatShare(share)}`;
  return (
    <div className={styles.progress}>
      <ProgressBar
        value={share}
        label={t("connections.local.progress", { name: model })}
        tone="busy"
      />
      <p className={styles.progressWords}>
        <span>{step?.status ?? t("connections.local.asking")}</span>
        <span>{sizes}</span>
      </p>
    </div>
  );
}

import {
  createContext,
  type ReactNode,
  Suspense,
  useCallback,
  useContext,
  useRef,
  useState,
} from "react";
import { Boundary } from "../boundary.tsx";
import { firstPart } from "../lazy-part.ts";
import type { QueuedToast, Toast } from "./toast-viewport.tsx";

export const loadToasts = () => import("./toast-viewport.tsx");
const ToastViewport = firstPart(() => loadToasts().then(({ ToastViewport }) => ToastViewport));

const ToastContext = createContext<((toast: Toast) => void) | null>(null);

/** Holds the toasts of its children. The code that shows them loads with the first toast. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [queue, setQueue] = useState<QueuedToast[]>([]);
  const [wasUsed, setWasUsed] = useState(false);
  const nextId = useRef(1);
  const add = useCallback((toast: Toast) => {
    setWasUsed(true);
    setQueue((waiting) => [...waiting, { ...toast, id: nextId.current++ }]);
  }, []);
  const take = useCallback(
    (ids: number[]) => setQueue((waiting) => waiting.filter(({ id }) => !ids.includes(id))),
    [],
  );
  return (
    <ToastContext value={add}>
      {children}
      {wasUsed && (
        <Boundary>
          <Suspense>
            <ToastViewport queue={queue} onTaken={take} />
          </Suspense>
        </Boundary>
      )}
    </ToastContext>
  );
}

/** `const toast = useToast(); toast({ text, action: { label: t("ui.undo"), onAction } })` */
export function useToast(): (toast: Toast) => void {
  const add = useContext(ToastContext);
  if (!add) throw new Error("useToast needs a ToastProvider around it.");
  return add;
}

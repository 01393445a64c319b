import { describeError } from "../describe-error.ts";
import { useToast } from "./toast.tsx";

/** Shows in a toast what happened and what to do; fits `onError` and `catch`. */
export function useErrorToast(): (error: unknown) => void {
  const toast = useToast();
  return (error) => {
    const { title, advice } = describeError(error);
    toast({ kind: "error", text: title, detail: advice });
  };
}

import { useEffect, useState } from "react";

/** The pause in typing, in ms, after which the server is asked. */
const typingPauseMs = 150;

/** A value, compared as JSON, once it hasn't changed for a while. */
export function useDebounced<Value>(value: Value, pauseMs = typingPauseMs): Value {
  const [debounced, setDebounced] = useState(value);
  const key = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), pauseMs);
    return () => clearTimeout(timer);
  }, [key, pauseMs]);
  return debounced;
}

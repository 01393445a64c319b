import { useEffect, useState } from "react";

/** A pause in typing that is long enough to ask the server, in ms. */
const typingPauseMs = 150;

/** A value, compared by its JSON, once it has not changed for a while. */
export function useSettled<Value>(value: Value, pauseMs = typingPauseMs): Value {
  const [settled, setSettled] = useState(value);
  const key = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [key, pauseMs]);
  return settled;
}

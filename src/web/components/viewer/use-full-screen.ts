import { useEffect, useState } from "react";

/** The picture alone, on the whole screen where the browser gives it. */
export function useFullScreen() {
  const [isBare, setBare] = useState(false);
  useEffect(() => {
    const onChange = () => setBare(document.fullscreenElement !== null);
    document.addEventListener("fullscreenchange", onChange);
    return () => {
      document.removeEventListener("fullscreenchange", onChange);
      if (document.fullscreenElement) void document.exitFullscreen().catch(() => undefined);
    };
  }, []);
  const toggle = () => {
    setBare(!isBare);
    const root = document.documentElement;
    // An iPhone has no full screen for pages: there it is the picture alone.
    if (isBare) void document.exitFullscreen?.().catch(() => undefined);
    else void root.requestFullscreen?.().catch(() => undefined);
  };
  return { isBare, toggle };
}

import { useEffect, useState } from "react";

/** Shows only the picture, in full screen if the browser supports it. */
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
    // iPhones have no full screen for pages, so only the controls are hidden.
    if (isBare) void document.exitFullscreen?.().catch(() => undefined);
    else void root.requestFullscreen?.().catch(() => undefined);
  };
  return { isBare, toggle };
}

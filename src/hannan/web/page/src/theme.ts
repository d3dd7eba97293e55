/** Light or dark: what the system says, unless the reader chose. */

import { useEffect, useState } from "react";

export type Theme = "system" | "light" | "dark";
const KEY = "hannan-theme";

function stored(): Theme {
  try {
    const kept = window.localStorage.getItem(KEY);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system";
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", theme);
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, set] = useState<Theme>(stored);
  useEffect(() => {
    applyTheme(theme);
    try {
      if (theme === "system") window.localStorage.removeItem(KEY);
      else window.localStorage.setItem(KEY, theme);
    } catch {
      // A browser that stores nothing forgets the choice; nothing else is lost.
    }
    window.dispatchEvent(new Event("hannan-theme"));
  }, [theme]);
  return [theme, set];
}

/** Call back whenever colours change, for what is painted on a canvas. */
export function onColours(changed: () => void): () => void {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  window.addEventListener("hannan-theme", changed);
  system.addEventListener("change", changed);
  return () => {
    window.removeEventListener("hannan-theme", changed);
    system.removeEventListener("change", changed);
  };
}

/** The colour that a custom property stands for now, as a canvas takes it. */
export function colour(name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  probe.style.display = "none";
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

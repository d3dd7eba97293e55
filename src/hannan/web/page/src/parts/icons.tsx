import type { ReactNode } from "react";

function Drawn({ children }: { children: ReactNode }) {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
      {children}
    </svg>
  );
}

const SHAPES = {
  home: <path d="M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z" />,
  tree: (
    <>
      <circle cx="12" cy="5" r="2.3" />
      <circle cx="5.5" cy="18.5" r="2.3" />
      <circle cx="18.5" cy="18.5" r="2.3" />
      <path d="M10.8 7 6.6 16.4M13.2 7l4.2 9.4M8.4 18.5h7.2" strokeDasharray="none" />
    </>
  ),
  strategy: (
    <>
      <rect x="4" y="4" width="16" height="16" rx="2.5" />
      <path d="M4 9.5h16M4 14.7h16M9.5 4v16M14.7 4v16" />
    </>
  ),
  solve: <path d="M4 5v14h16M7 8c3 7 6 8 12 8.6" />,
  whatif: (
    <>
      <rect x="5" y="11" width="14" height="9" rx="2.2" />
      <path d="M8 11V8a4 4 0 0 1 7.6-1.7" />
    </>
  ),
  play: <path d="M8 5.4v13.2L19 12z" />,
  proof: (
    <>
      <path d="M12 3.5 19 6v5.5c0 4.4-2.8 7.6-7 9-4.2-1.4-7-4.6-7-9V6z" />
      <path d="m9 12 2.2 2.2L15.4 10" />
    </>
  ),
  search: (
    <>
      <circle cx="11" cy="11" r="6.2" />
      <path d="m16 16 4 4" />
    </>
  ),
  down: <path d="m6 9.5 6 6 6-6" />,
  up: <path d="m6 14.5 6-6 6 6" />,
  file: <path d="M7 3.5h7l4.5 4.5v11.5a1 1 0 0 1-1 1h-10.5a1 1 0 0 1-1-1v-15a1 1 0 0 1 1-1zM13.5 3.5V8.5h5" />,
  folder: <path d="M3.5 7a1.5 1.5 0 0 1 1.5-1.5h4.2l2 2.4H19A1.5 1.5 0 0 1 20.5 9.4V17a1.5 1.5 0 0 1-1.5 1.5H5A1.5 1.5 0 0 1 3.5 17z" />,
  alert: (
    <>
      <path d="M12 4 21 19.5H3z" />
      <path d="M12 10v4.2M12 16.9v.1" />
    </>
  ),
  info: (
    <>
      <circle cx="12" cy="12" r="8.5" />
      <path d="M12 11v5M12 8v.1" />
    </>
  ),
  check: <path d="m5 12.5 4.5 4.5L19 7.5" />,
  close: <path d="m6 6 12 12M18 6 6 18" />,
  pause: <path d="M8.5 5.5v13M15.5 5.5v13" />,
  stop: <rect x="6" y="6" width="12" height="12" rx="2" />,
  save: <path d="M12 4v10.5m-4-4 4 4 4-4M5 16v2.5A1.5 1.5 0 0 0 6.5 20h11a1.5 1.5 0 0 0 1.5-1.5V16" />,
  plus: <path d="M12 5v14M5 12h14" />,
  minus: <path d="M5 12h14" />,
  fit: <path d="M4 9V4.5h4.5M20 9V4.5h-4.5M4 15v4.5h4.5M20 15v4.5h-4.5" />,
  lock: (
    <>
      <rect x="5" y="11" width="14" height="9" rx="2.2" />
      <path d="M8 11V8a4 4 0 0 1 8 0v3" />
    </>
  ),
  sun: (
    <>
      <circle cx="12" cy="12" r="3.8" />
      <path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4" />
    </>
  ),
  moon: <path d="M19.5 14.2A8 8 0 0 1 9.8 4.5a8 8 0 1 0 9.7 9.7z" />,
  auto: (
    <>
      <circle cx="12" cy="12" r="8" />
      <path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor" />
    </>
  ),
  dice: (
    <>
      <rect x="4.5" y="4.5" width="15" height="15" rx="3" />
      <path d="M9 9v.1M15 15v.1M15 9v.1M9 15v.1" strokeWidth="2.6" />
    </>
  ),
  hint: <path d="M9.5 18.5h5M10.5 21h3M8 13.5a5.5 5.5 0 1 1 8 0c-.9.9-1.4 1.5-1.5 2.5h-5c-.1-1-.6-1.6-1.5-2.5z" />,
};

export type IconName = keyof typeof SHAPES;

export function Icon({ name }: { name: IconName }) {
  return <Drawn>{SHAPES[name]}</Drawn>;
}

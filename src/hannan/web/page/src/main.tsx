import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app";
import { client } from "./session";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/views.css";

// The server has set its cookie by now: the token need not stay in the address, the history or a screenshot.
const here = new URL(window.location.href);
if (here.searchParams.has("token")) {
  here.searchParams.delete("token");
  window.history.replaceState(null, "", here);
}

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
}

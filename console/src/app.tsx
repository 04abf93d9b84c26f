import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiProblem } from "./api/problem.ts";
import { ConfirmHost } from "./parts/confirm.tsx";
import { Later } from "./parts/later.tsx";
import { router } from "./router.tsx";
import { SessionGate } from "./session/gate.tsx";
import { styleNonce } from "./settings.ts";
import { resolveVariables, theme } from "./theme.ts";
// In a layer: styles of our own win, in whatever order they are loaded.
import "@mantine/core/styles.layer.css";
import "@mantine/notifications/styles.layer.css";
import "@mantine/spotlight/styles.layer.css";
import "./console.css";

// Dialogs stop the page behind them from scrolling by a style of their own.
setNonce(styleNonce);

const RETRIES_MAX = 2;

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The event stream says when something changed.
      staleTime: 60_000,
      refetchOnWindowFocus: false,
      // What the API refuses once it refuses again; only failures on the way are worth a second try.
      retry: (count, error) =>
        count < RETRIES_MAX && !(error instanceof ApiProblem && error.status < 500),
    },
  },
});

function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queries}>
        <SessionGate>
          <RouterProvider router={router} />
        </SessionGate>
        <Later>
          <Notifications position="bottom-right" />
          <ConfirmHost />
        </Later>
      </QueryClientProvider>
    </MantineProvider>
  );
}

export function showApp(place: HTMLElement): void {
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

import { Alert, Button, Center, Loader, Modal, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { ApiProblem } from "../api/problem.ts";
import { Outside, OutsideTitle } from "../frame/outside.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { Later } from "../parts/later.tsx";
import { useWords } from "../words/language.ts";
import {
  getSession,
  type SessionState,
  SIGN_IN_WINDOW,
  signInAgain,
  signOut,
  startAgain,
  tryAgain,
  useSession,
} from "./session.ts";
import { words } from "./words.ts";

/** Shows its content to somebody who is signed in, and keeps it when the session ends. */
export function SessionGate({ children }: { children: ReactNode }) {
  const session = useSession();
  if (session.status === "starting") return <Opening />;
  if (session.status === "failed") return <Failed {...session} />;
  if (session.status === "unknown") return <Unknown {...session} />;
  return (
    <>
      {children}
      <Later>
        <EndedDialog session={session} />
      </Later>
    </>
  );
}

function Opening() {
  const w = useWords(words);
  return (
    <Center mih="100dvh" role="status" aria-label={w.starting}>
      <Loader type="dots" />
    </Center>
  );
}

function Failed({ code, problem }: Extract<SessionState, { status: "failed" }>) {
  const w = useWords(words);
  const known: Readonly<Record<string, string>> = {
    no_client: w.noClient,
    stale: w.stale,
    unreachable: w.unreachable,
    signed_out: w.signedOutText,
  };
  const isOut = code === "signed_out";
  return (
    <Outside>
      <OutsideTitle>{isOut ? w.signedOut : w.failed}</OutsideTitle>
      <Text c="dimmed">{known[code] ?? problem}</Text>
      {code !== "no_client" && (
        <Button onClick={() => void startAgain()}>{isOut ? w.signIn : w.tryAgain}</Button>
      )}
    </Outside>
  );
}

function Unknown({ error }: Extract<SessionState, { status: "unknown" }>) {
  const w = useWords(words);
  return (
    <Outside>
      <OutsideTitle>{w.notOpened}</OutsideTitle>
      <ErrorDisplay error={error} onRetry={() => void tryAgain()} />
      {error instanceof ApiProblem && error.status < 500 && (
        // The API knows the person and lets them in nowhere: somebody else may have an account.
        <Button variant="default" onClick={signOut}>
          {w.signOut}
        </Button>
      )}
    </Outside>
  );
}

/**
 * Dialogs below the one that asks to sign in again must not hear Escape: they would ask, unseen, whether
 * to discard what was typed. Added before any dialog adds its own listener.
 */
window.addEventListener(
  "keydown",
  (event) => {
    if (event.key === "Escape" && getSession().status === "ended") event.stopImmediatePropagation();
  },
  { capture: true },
);

/** Lies over the page, which stays as it is below: forms keep what was typed. */
function EndedDialog({ session }: { session: SessionState }) {
  const w = useWords(words);
  const { problem, blocked } = session.status === "ended" ? session : {};
  return (
    <Modal
      opened={session.status === "ended"}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={w.ended}
      centered
      zIndex={500}
    >
      <Stack>
        <Text>{w.endedText}</Text>
        {problem !== undefined && <Alert color="red">{problem}</Alert>}
        {blocked === undefined ? (
          <Button data-autofocus onClick={() => void signInAgain()}>
            {w.signIn}
          </Button>
        ) : (
          <Button component="a" href={blocked} target={SIGN_IN_WINDOW}>
            {w.signIn}
          </Button>
        )}
        <Text size="sm" c="dimmed">
          {blocked === undefined ? w.endedHint : w.blockedHint}
        </Text>
      </Stack>
    </Modal>
  );
}

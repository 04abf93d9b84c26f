import { Button, Text } from "@mantine/core";
import { IconBell, IconChevronLeft, IconLock, IconLockOpen } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useLanguage, useWords } from "../words/language.ts";
import { PassEdge, PassOnPhone } from "./pass-on-phone.tsx";
import classes from "./phones.module.css";
import {
  type Card,
  changedKeys,
  clearNotices,
  type Notice,
  type Phone,
  passIdOf,
} from "./simulator.ts";
import { words } from "./words.ts";

const BANNER_MS = 7_000;
/** They have these names in every language. */
const WALLETS = { iphone: "Apple Wallet", android: "Google Wallet" } as const;

type Props = {
  readonly phone: Phone;
  /** The pass that is looked at, by its id at the API. */
  readonly openId: string | undefined;
  readonly onOpen: (passId: string | undefined) => void;
  readonly onRemove: (card: Card) => void;
  /** Puts the chosen pass on this phone; undefined if none is chosen. */
  readonly onInstall: (() => void) | undefined;
  readonly isBusy: boolean;
};

/** A phone on the screen: locked, with its wallet open, or with one pass in front. */
export function PhoneOnScreen(props: Props) {
  const { phone, openId } = props;
  const w = useWords(words);
  const name = w[phone.kind];
  const [isLocked, setLocked] = useState(false);
  const banner = useBanner(phone.notices, isLocked);
  const card = phone.cards.find((one) => passIdOf(one) === openId);
  return (
    <section className={classes.place} aria-label={name}>
      <header className={classes.caption}>
        <Text component="h2" fw={640}>
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          {WALLETS[phone.kind]}
        </Text>
      </header>
      <div className={classes.phone} data-kind={phone.kind} data-locked={isLocked || undefined}>
        <SystemLine />
        {/* Spoken as it comes, wherever the person is on the page. */}
        <div role="status" className={classes.bannerPlace}>
          {banner !== undefined && <NoticeLine notice={banner} />}
        </div>
        <div className={classes.screen}>
          {isLocked && <LockScreen phone={phone} />}
          {!isLocked && card !== undefined && <OpenPass {...props} card={card} />}
          {!isLocked && card === undefined && <WalletList {...props} />}
        </div>
        <Button
          className={classes.home}
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={isLocked ? <IconLockOpen size={14} /> : <IconLock size={14} />}
          onClick={() => setLocked(!isLocked)}
        >
          {isLocked ? w.unlock(name) : w.lock(name)}
        </Button>
      </div>
      <Deeds phone={phone} />
    </section>
  );
}

/** What has just come, for some seconds. What was there before the page was opened is no news. */
function useBanner(notices: readonly Notice[], isLocked: boolean): Notice | undefined {
  const newest = notices[0]?.id;
  const seen = useRef(newest);
  const [shown, setShown] = useState<string>();
  useEffect(() => {
    if (newest !== undefined && newest !== seen.current) setShown(newest);
    seen.current = newest;
  }, [newest]);
  useEffect(() => {
    if (shown === undefined) return undefined;
    const timer = setTimeout(() => setShown(undefined), BANNER_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  return isLocked ? undefined : notices.find(({ id }) => id === shown);
}

function useClock() {
  const language = useLanguage();
  return new Intl.DateTimeFormat(language, { timeStyle: "short" });
}

function SystemLine() {
  const clock = useClock();
  return (
    <div className={classes.system} aria-hidden>
      <span>{clock.format(new Date())}</span>
      <span className={classes.camera} />
      <span className={classes.battery} />
    </div>
  );
}

function NoticeLine({ notice: { title, text, at } }: { notice: Notice }) {
  const clock = useClock();
  return (
    <div className={classes.notice}>
      <span className={classes.noticeIcon} aria-hidden>
        <IconBell size={16} />
      </span>
      <div className={classes.noticeText}>
        <strong>{title}</strong>
        <p>{text}</p>
      </div>
      <time dateTime={at}>{clock.format(new Date(at))}</time>
    </div>
  );
}

function LockScreen({ phone }: { phone: Phone }) {
  const w = useWords(words);
  const language = useLanguage();
  const clock = useClock();
  const day = new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long" });
  const { notices } = phone;
  return (
    <div className={classes.lock}>
      <p className={classes.lockDay}>{day.format(new Date())}</p>
      <p className={classes.lockTime}>{clock.format(new Date())}</p>
      {notices.length === 0 && <p className={classes.lockNone}>{w.noNews}</p>}
      <ul>
        {notices.map((notice) => (
          <li key={notice.id}>
            <NoticeLine notice={notice} />
          </li>
        ))}
      </ul>
      {notices.length > 0 && (
        <button
          type="button"
          className={classes.lockClear}
          aria-label={w.clearOf(w[phone.kind])}
          onClick={() => void clearNotices(phone.id)}
        >
          {w.clear}
        </button>
      )}
    </div>
  );
}

function WalletList({ phone, onOpen, onInstall, isBusy }: Props) {
  const w = useWords(words);
  if (phone.cards.length === 0) {
    return (
      <div className={classes.walletEmpty}>
        <span className={classes.ghost} aria-hidden />
        <Text fw={600}>{w.walletEmpty}</Text>
        <Text size="sm" c="dimmed">
          {w.walletEmptyText}
        </Text>
        {onInstall !== undefined && (
          <Button size="xs" variant="light" onClick={onInstall} loading={isBusy}>
            {w.installHere(w[phone.kind])}
          </Button>
        )}
      </div>
    );
  }
  return (
    <div className={classes.wallet}>
      <Text className={classes.walletTitle} component="h3">
        {w.wallet}
      </Text>
      <ul>
        {phone.cards.map((card) => (
          <li key={card.key}>
            <PassEdge card={card} onOpen={() => onOpen(passIdOf(card))} />
          </li>
        ))}
      </ul>
      {onInstall !== undefined && (
        <Button size="xs" variant="light" mt="md" onClick={onInstall} loading={isBusy}>
          {w.installHere(w[phone.kind])}
        </Button>
      )}
    </div>
  );
}

function OpenPass({ phone, card, onOpen, onRemove }: Props & { readonly card: Card }) {
  const w = useWords(words);
  const [isFlipped, setFlipped] = useState(false);
  const changed = useChanged(card);
  const name = card.logoText || card.organization;
  return (
    <div className={classes.open}>
      <div className={classes.tools}>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconChevronLeft size={14} />}
          onClick={() => onOpen(undefined)}
        >
          {w.toWallet}
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label={isFlipped ? w.frontOf(name) : w.backOf(name)}
          onClick={() => setFlipped(!isFlipped)}
        >
          {isFlipped ? w.front : w.back}
        </Button>
      </div>
      <PassOnPhone card={card} phoneId={phone.id} isFlipped={isFlipped} changed={changed} />
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        aria-label={w.removeFrom(name, w[phone.kind])}
        onClick={() => onRemove(card)}
      >
        {w.remove}
      </Button>
    </div>
  );
}

/** The fields that the last update changed. */
function useChanged(card: Card): ReadonlySet<string> {
  const [state, setState] = useState({ card, changed: changedKeys(undefined, card) });
  if (state.card === card) return state.changed;
  const isSame = state.card.key === card.key;
  // The same copy that is asked for again has changed nothing: what lit up goes on to do so.
  if (isSame && state.card.updatedAt === card.updatedAt) return state.changed;
  const changed = changedKeys(isSame ? state.card : undefined, card);
  setState({ card, changed });
  return changed;
}

function Deeds({ phone: { deeds } }: { phone: Phone }) {
  const w = useWords(words);
  const language = useLanguage();
  const clock = new Intl.DateTimeFormat(language, { timeStyle: "medium" });
  return (
    <details className={classes.deeds}>
      <summary>{w.deeds}</summary>
      {deeds.length === 0 ? (
        <p>{w.noDeeds}</p>
      ) : (
        <ul>
          {deeds.map(({ at, text, isProblem }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: deeds have no names; the newest comes first.
            <li key={`${at} ${index}`} data-problem={isProblem || undefined}>
              <time dateTime={at}>{clock.format(new Date(at))}</time> {text}
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

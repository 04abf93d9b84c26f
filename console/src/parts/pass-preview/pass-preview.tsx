import {
  ActionIcon,
  Group,
  NativeSelect,
  SegmentedControl,
  Text,
  Tooltip,
  useComputedColorScheme,
} from "@mantine/core";
import { IconMoon, IconSun } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { useLanguage, useWords } from "../../words/language.ts";
import { AppleBack } from "./apple-back.tsx";
import { AppleCard } from "./apple-card.tsx";
import { readApplePass } from "./apple-pass.ts";
import { GoogleCard, GoogleDetails } from "./google-card.tsx";
import { readGooglePass } from "./google-pass.ts";
import classes from "./pass-preview.module.css";
import type { Preview } from "./shapes.ts";
import { words } from "./words.ts";

type Side = "front" | "back";
type Wallet = "apple" | "google";

type Props = {
  /** The last one that could be made; it stays on the screen until there is another. */
  readonly preview: Preview | undefined;
  /** Both wallets beside each other, or one at a time where there is little room. */
  readonly wallets?: "both" | "one";
};

/** A pass in both wallets, drawn from the documents that the wallets get. */
export function PassPreview({ preview, wallets = "both" }: Props) {
  const w = useWords(words);
  const [wallet, setWallet] = useState<Wallet>("apple");
  const [side, setSide] = useState<Side>("front");
  const [wished, setLanguage] = useState<string>();
  const [scheme, setScheme] = useState<"light" | "dark">();
  const page = useComputedColorScheme("light");
  const shown = scheme ?? page;
  const languages = preview?.languages ?? [];
  const language = useShownLanguage(languages, wished);
  const drawn: readonly Wallet[] = wallets === "both" ? ["apple", "google"] : [wallet];
  return (
    <section className={classes.preview} aria-label={w.preview}>
      <Group gap="xs">
        {wallets === "one" && (
          <SegmentedControl
            size="xs"
            aria-label={w.wallet}
            value={wallet}
            onChange={(value) => setWallet(value as Wallet)}
            data={[
              { value: "apple", label: "Apple" },
              { value: "google", label: "Google" },
            ]}
          />
        )}
        <SegmentedControl
          size="xs"
          aria-label={w.side}
          value={side}
          onChange={(value) => setSide(value as Side)}
          data={[
            { value: "front", label: w.front },
            { value: "back", label: w.back },
          ]}
        />
        {languages.length > 1 && (
          <NativeSelect
            size="xs"
            aria-label={w.language}
            value={language}
            data={languages.map((value) => ({ value, label: value }))}
            onChange={(event) => setLanguage(event.currentTarget.value)}
          />
        )}
        <Tooltip label={shown === "dark" ? w.light : w.dark}>
          <ActionIcon
            variant="default"
            size={30}
            aria-label={shown === "dark" ? w.light : w.dark}
            onClick={() => setScheme(shown === "dark" ? "light" : "dark")}
          >
            {shown === "dark" ? <IconSun size={16} /> : <IconMoon size={16} />}
          </ActionIcon>
        </Tooltip>
      </Group>
      <div className={classes.stage} data-scheme={shown} data-count={drawn.length} lang={language}>
        {preview?.apple == null || preview.google == null ? (
          <Text size="sm" className={classes.nothing}>
            {w.notShown}
          </Text>
        ) : (
          drawn.map((name) => (
            <Drawn
              key={name}
              wallet={name}
              side={side}
              scheme={shown}
              language={language}
              preview={preview}
            />
          ))
        )}
      </div>
    </section>
  );
}

/** The wished language, else that of the person, else the tenant's own. */
function useShownLanguage(languages: readonly string[], wished: string | undefined): string {
  const own = useLanguage();
  const find = (wish: string | undefined) =>
    languages.find((language) => language === wish) ??
    languages.find((language) => wish !== undefined && language.startsWith(wish));
  return find(wished) ?? find(own) ?? languages[0] ?? "en";
}

type DrawnProps = {
  readonly wallet: Wallet;
  readonly side: Side;
  readonly language: string;
  readonly scheme: string;
  readonly preview: Preview;
};

function Drawn({ wallet, side, language, scheme, preview: { apple, google } }: DrawnProps) {
  const applePass = useMemo(() => apple && readApplePass(apple, language), [apple, language]);
  const googlePass = useMemo(() => google && readGooglePass(google, language), [google, language]);
  if (wallet === "apple") {
    if (applePass == null || apple == null) return undefined;
    return side === "front" ? (
      <AppleCard pass={applePass} images={apple.images} />
    ) : (
      <AppleBack pass={applePass} language={language} scheme={scheme} />
    );
  }
  if (googlePass == null || google == null) return undefined;
  return side === "front" ? (
    <GoogleCard pass={googlePass} images={google.images} />
  ) : (
    <GoogleDetails pass={googlePass} scheme={scheme} />
  );
}

import { Button, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useWords } from "../words/language.ts";
import { Outside, OutsideTitle } from "./outside.tsx";
import { words } from "./words.ts";

type Props = { readonly title: string; readonly text: string };

/** An address that leads into no tenant of the person, and the way to those that they have. */
export function Nowhere({ title, text }: Props) {
  const w = useWords(words);
  return (
    <Outside>
      <OutsideTitle>{title}</OutsideTitle>
      <Text c="dimmed" style={{ overflowWrap: "anywhere" }}>
        {text}
      </Text>
      <Button component={Link} to="/">
        {w.toTenants}
      </Button>
    </Outside>
  );
}

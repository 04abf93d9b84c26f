import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

/** The blue of the sign-in pages. */
const blue: MantineColorsTuple = [
  "#eef1ff",
  "#dde3ff",
  "#b9c5ff",
  "#93a7ff",
  "#6f87f5",
  "#4f69e8",
  "#2b4bd8",
  "#2441be",
  "#1f39ac",
  "#182c86",
];

/** Dark enough for white text. */
const red: MantineColorsTuple = [
  "#fff5f5",
  "#ffe3e3",
  "#ffc9c9",
  "#ffa8a8",
  "#f17878",
  "#e03131",
  "#c92a2a",
  "#b02525",
  "#951f1f",
  "#7d1a1a",
];

/** Greys with a little warmth, darkest last: the colours of the sign-in pages in the dark. */
const dark: MantineColorsTuple = [
  "#f1eff4",
  "#c9c6d1",
  "#aaa6b3",
  "#77737f",
  "#45434d",
  "#34333b",
  "#26252c",
  "#1c1c21",
  "#131316",
  "#0d0d0f",
];

export const theme = createTheme({
  primaryColor: "blue",
  // Both carry white text.
  primaryShade: { light: 6, dark: 5 },
  colors: { blue, red, dark },
  defaultRadius: "md",
  fontFamily:
    'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  headings: {
    fontWeight: "640",
    sizes: {
      h1: { fontSize: "1.625rem", lineHeight: "1.25" },
      h2: { fontSize: "1.1875rem", lineHeight: "1.35" },
      h3: { fontSize: "1rem", lineHeight: "1.4" },
    },
  },
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    Tooltip: {
      defaultProps: {
        withArrow: true,
        openDelay: 200,
        events: { hover: true, focus: true, touch: true },
      },
    },
    Modal: {
      defaultProps: { centered: true, radius: "lg", overlayProps: { backgroundOpacity: 0.45 } },
    },
  },
});

export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-body": "#ffffff",
    "--mantine-color-text": "#1c1b1f",
    "--mantine-color-dimmed": "#5f5c66",
    "--mantine-color-placeholder": "#6f6b76",
    "--mantine-color-default-border": "#d9d6cf",
    "--paper": "#f6f5f2",
    "--line": "#e6e3dc",
    "--quiet": "#efede8",
    // Small text on light colours: those of the library are too faint to be read easily.
    "--mantine-color-error": "#b02525",
    "--mantine-color-red-light-color": "#951f1f",
    "--mantine-color-teal-light-color": "#05604a",
    "--mantine-color-yellow-light-color": "#7a4b00",
    "--mantine-color-orange-light-color": "#8a3b00",
  },
  dark: {
    "--mantine-color-body": "#1c1c21",
    "--mantine-color-dimmed": "#aaa6b3",
    "--mantine-color-placeholder": "#96929f",
    "--paper": "#131316",
    "--line": "#34333b",
    "--quiet": "#26252c",
    "--mantine-color-error": "#ffa8a8",
  },
});

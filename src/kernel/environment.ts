export type Environment = "staging" | "production";

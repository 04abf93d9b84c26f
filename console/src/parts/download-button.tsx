import { IconDownload } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import type { Operation } from "../api/rights.ts";
import { download } from "./download.ts";
import { ScopedButton } from "./scoped.tsx";
import { toastProblem } from "./toast.tsx";

type Props = Parameters<typeof download>[0] & {
  readonly operation: Operation;
  readonly children: ReactNode;
};

/** Downloads a file of the API; off without the scope, as all buttons. */
export function DownloadButton({ operation, children, ...wish }: Props) {
  const [isLoading, setLoading] = useState(false);
  const fetchIt = async () => {
    setLoading(true);
    try {
      await download(wish);
    } catch (error) {
      toastProblem(error);
    } finally {
      setLoading(false);
    }
  };
  return (
    <ScopedButton
      operation={operation}
      variant="default"
      loading={isLoading}
      leftSection={<IconDownload size={16} stroke={1.6} />}
      onClick={() => void fetchIt()}
    >
      {children}
    </ScopedButton>
  );
}

import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import classes from "./qr-code.module.css";

type Props = {
  readonly text: string;
  /** What the code leads to, for those who do not see it. */
  readonly label: string;
  readonly size?: number;
};

/** A QR code. What draws it is loaded when the first one is shown. */
export function QrCode({ text, label, size = 232 }: Props) {
  const { data } = useQuery({
    queryKey: ["qr code", text],
    queryFn: () => draw(text),
    staleTime: Number.POSITIVE_INFINITY,
    // A code may be a secret that is shown once: it does not stay in memory.
    gcTime: 0,
  });
  if (data === undefined) return <Skeleton w={size} h={size} radius="md" />;
  return <img className={classes.code} src={data} width={size} height={size} alt={label} />;
}

async function draw(text: string): Promise<string> {
  const { qrcode, drawingSVG } = await import("bwip-js/browser");
  const svg: string = qrcode({ bcid: "qrcode", text, scale: 4 }, drawingSVG());
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}

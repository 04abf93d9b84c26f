import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, take } from "../../api/client.ts";
import type { Preview, PreviewImage, PreviewRequest } from "./shapes.ts";

const KEPT_MAX = 100;

/** Pictures by their hash: they rarely change while somebody types, and are fetched once. */
const kept = new Map<string, string>();

function keep(images: readonly PreviewImage[]): PreviewImage[] {
  return images.map((image) => {
    const base64 = image.base64 ?? kept.get(image.hash) ?? null;
    if (base64 !== null) {
      kept.delete(image.hash);
      kept.set(image.hash, base64);
    }
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT_MAX) break;
      kept.delete(oldest);
    }
    return { ...image, base64 };
  });
}

function withImages(preview: Preview): Preview {
  const { apple, google } = preview;
  return {
    ...preview,
    apple: apple && { ...apple, images: keep(apple.images) },
    google: google && { ...google, images: keep(google.images) },
  };
}

/** A pass by files that are not published. */
export async function fetchPreview(
  tenantId: string,
  request: PreviewRequest,
  signal?: AbortSignal,
): Promise<Preview> {
  const body = { ...request, knownImages: [...kept.keys()] };
  const params = { path: { tenantId } };
  const sent = api.POST("/api/tenants/{tenantId}/preview", {
    params,
    body,
    ...(signal === undefined ? {} : { signal }),
  });
  return withImages(await take(sent));
}

/** A pass that exists, as both wallets get it now. Follows its changes. */
export function usePassPreview(tenantId: string, passId: string | undefined) {
  return useQuery({
    queryKey: ["pass-preview", tenantId, passId],
    queryFn: async () => {
      const path = { tenantId, passId: passId ?? "" };
      return withImages(
        await take(api.GET("/api/{tenantId}/passes/{passId}/preview", { params: { path } })),
      );
    },
    enabled: passId !== undefined,
    placeholderData: keepPreviousData,
    meta: { live: ["pass.", "privilege.", "configuration."] },
  });
}

/** The picture of this name for `src`; undefined if there is none. */
export function imageSource(
  images: readonly PreviewImage[],
  name: string | undefined,
): string | undefined {
  const base64 = images.find((image) => image.name === name)?.base64;
  return base64 === undefined || base64 === null ? undefined : `data:image/png;base64,${base64}`;
}

// The service worker: keeps the page and its files, so that a scanner opens without a network. It
// touches no call of the API: what those answer is never kept.

const VERSION = "{{hash}}";
const FILES = "{{files}}";
const PAGE = new URL("../scan", location.href).href;
const ASSETS = new URL("assets/", location.href).href;
const CACHE = `scanner-${VERSION}`;
/** A page that is still open may need files of the version it was loaded with. */
const CACHES_MAX = 2;
/** In a network that answers nothing, the kept page opens after this time. */
const PATIENCE_MS = 3_000;

const assetOf = (name) => `${ASSETS}${VERSION}/${name}`;

self.addEventListener("install", (event) => {
  event.waitUntil(keepAll().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(dropOld().then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  const [address] = request.url.split(/[?#]/, 1);
  if (request.mode === "navigate" && address === PAGE) event.respondWith(openPage(request));
  else if (address.startsWith(ASSETS)) event.respondWith(findAsset(request));
});

async function keepAll() {
  const cache = await caches.open(CACHE);
  await cache.addAll([PAGE, ...FILES.map(assetOf)]);
}

async function dropOld() {
  const names = (await caches.keys()).filter((name) => name.startsWith("scanner-"));
  const others = names.filter((name) => name !== CACHE);
  // Names come in the order in which the caches were made.
  await Promise.all(others.slice(0, 1 - CACHES_MAX).map((name) => caches.delete(name)));
}

/** The newest page there is: from the service, or else the one that was kept. */
async function openPage(request) {
  try {
    const response = await fetch(request, { signal: AbortSignal.timeout(PATIENCE_MS) });
    // A gateway that answers for a service that is away is as good as no network.
    if (response.ok) return response;
    throw new Error(`The service answered ${response.status}.`);
  } catch (error) {
    const kept = await (await caches.open(CACHE)).match(PAGE);
    if (kept !== undefined) return kept;
    throw error;
  }
}

async function findAsset(request) {
  return (await caches.match(request, { ignoreVary: true })) ?? (await fetch(request));
}

// Whether the service can be reached, as the last call to it tells. What the browser says of the
// network only leads to the next try: a network without the service behind it is of no use.

export class Link extends EventTarget {
  isOnline = true;

  /** Told after each call: without a failure, or with the one there was. */
  report(failure) {
    const isOnline = failure === undefined || !failure.isPassing;
    if (isOnline !== this.isOnline) {
      this.isOnline = isOnline;
      this.dispatchEvent(new Event("change"));
    }
    if (failure?.status === 401) this.dispatchEvent(new Event("keygone"));
  }
}

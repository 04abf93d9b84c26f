import { useEffect } from "react";

/** What the tab of the browser, its history and readers of screens call the page. */
export function useDocumentTitle(heading: string): void {
  useEffect(() => {
    document.title = `${heading} · Billfold`;
  }, [heading]);
}

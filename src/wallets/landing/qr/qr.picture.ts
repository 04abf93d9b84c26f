import type { QrCode } from "./qr.code.ts";

/** The light border that readers need, in modules. */
const BORDER = 4;

/**
 * The code as the path of an SVG, with a view box that includes the border. A whole row of dark
 * modules is one rectangle, so that no hairlines show between them.
 */
export function qrPicture(code: QrCode): { readonly path: string; readonly viewBox: string } {
  let path = "";
  for (let y = 0; y < code.size; y += 1) {
    for (let x = 0; x < code.size; x += 1) {
      if (!code.isDark(x, y)) continue;
      const start = x;
      while (x + 1 < code.size && code.isDark(x + 1, y)) x += 1;
      const length = x - start + 1;
      path += `M${start} ${y}h${length}v1h-${length}z`;
    }
  }
  const side = code.size + 2 * BORDER;
  return { path, viewBox: `${-BORDER} ${-BORDER} ${side} ${side}` };
}

/** The code as a picture of its own, black on white in any surroundings. */
export function qrSvg(code: QrCode): string {
  const { path, viewBox } = qrPicture(code);
  const [left, top, width, height] = viewBox.split(" ");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${viewBox}" shape-rendering="crispEdges"><rect x="${left}" y="${top}" width="${width}" height="${height}" fill="#fff"/><path d="${path}" fill="#000"/></svg>\n`;
}

function bars(x: number, y: number, height: number, widths: readonly number[]): string {
  let at = x;
  const parts = widths.map((width, index) => {
    const part =
      index % 2 === 0 ? `<rect x="${at}" y="${y}" width="${width}" height="${height}"/>` : "";
    at += width;
    return part;
  });
  return parts.join("");
}

const WIDTHS = [3, 2, 1, 2, 4, 1, 2, 3, 1, 2, 3, 1, 1, 3, 5, 2, 1, 2, 3, 2, 1, 1, 4, 2, 2, 1, 3];
const BARCODE = bars(0, 0, 34, [...WIDTHS, 2, ...WIDTHS, 2, ...WIDTHS, 1, 4]);

/** The outline of a ticket, 264 by 168, with a notch on each side at two thirds of its height. */
const TICKET =
  "M18 0H246A18 18 0 0 1 264 18V104A10 10 0 0 0 264 124V150A18 18 0 0 1 246 168H18A18 18 0 0 1 0 150V124A10 10 0 0 0 0 104V18A18 18 0 0 1 18 0Z";

/** Three passes beside the form on wide screens; inline, because the pages load no files. */
export const SCENE = `<svg viewBox="0 0 400 440" role="presentation">
<g transform="translate(84 30) rotate(7)"><path class="p1" d="${TICKET}"/><g class="on"><rect x="22" y="24" width="64" height="9" rx="4.5"/><rect class="faint" x="22" y="46" width="118" height="7" rx="3.5"/><circle class="faint" cx="226" cy="38" r="15"/></g></g>
<g transform="translate(44 118) rotate(-5)"><path class="p2" d="${TICKET}"/><g class="on"><rect x="22" y="24" width="52" height="9" rx="4.5"/><rect class="faint" x="22" y="46" width="140" height="7" rx="3.5"/><rect class="faint" x="200" y="24" width="42" height="9" rx="4.5"/></g></g>
<g transform="translate(74 212) rotate(2)"><path class="p3" d="${TICKET}"/><g class="on"><rect x="22" y="24" width="74" height="9" rx="4.5"/><rect class="faint" x="22" y="48" width="46" height="6" rx="3"/><rect x="22" y="62" width="96" height="12" rx="6"/><rect class="faint" x="194" y="48" width="48" height="6" rx="3"/><rect x="206" y="62" width="36" height="12" rx="6"/></g><line class="tear" x1="16" y1="114" x2="248" y2="114"/><g class="bars" transform="translate(40 122)">${BARCODE}</g></g>
</svg>`;

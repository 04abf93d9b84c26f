// Draws one pass, front and back. Everything that comes from a pass is set as text.

/** Makes an element with a class, members and children. */
export function make(tag, className = "", children = [], members = {}) {
  const element = Object.assign(document.createElement(tag), members);
  if (className !== "") element.className = className;
  element.append(...children.filter((child) => child !== undefined && child !== ""));
  return element;
}

/** Drawn here, because fonts without these signs are common. */
const VEHICLES = {
  air: "M21 15.5v-2l-8-5V3a1.5 1.5 0 0 0-3 0v5.500l-8 5v2l8-2.500V18l-2 1.500V21l3.500-1 3.500 1v-1.500L13 18v-5.000z",
  train:
    "M12 2c-4 0-8 .5-8 4v9.500A3.500 3.500 0 0 0 7.500 19L6 20.500v.500h12v-.500L16.500 19a3.500 3.500 0 0 0 3.500-3.500V6c0-3.500-3.600-4-8-4zM7.500 17a1.500 1.500 0 1 1 0-3 1.500 1.500 0 0 1 0 3zm3.500-7H6V6h5zm5.500 7a1.500 1.500 0 1 1 0-3 1.500 1.500 0 0 1 0 3zm1.500-7h-5V6h5z",
  bus: "M4 16c0 .900.400 1.700 1 2.200V20a1 1 0 0 0 1 1h1a1 1 0 0 0 1-1v-1h8v1a1 1 0 0 0 1 1h1a1 1 0 0 0 1-1v-1.800c.600-.500 1-1.300 1-2.200V6c0-3.500-3.600-4-8-4s-8 .500-8 4zm3.500 1a1.500 1.500 0 1 1 0-3 1.500 1.500 0 0 1 0 3zm9 0a1.500 1.500 0 1 1 0-3 1.500 1.500 0 0 1 0 3zm1.500-6H6V6h12z",
  boat: "M20 21c-1.400 0-2.800-.500-4-1.300a7 7 0 0 1-8 0C6.800 20.500 5.400 21 4 21H2v2h2c1.400 0 2.700-.300 4-1a8.800 8.800 0 0 0 8 0c1.300.700 2.600 1 4 1h2v-2zM4 19c1.600 0 3-.900 4-2 1 1.100 2.400 2 4 2s3-.900 4-2c1 1.100 2.400 2 4 2l2-6.700c.100-.500-.200-1-.700-1.200L20 10.600V6a2 2 0 0 0-2-2h-3V1H9v3H6a2 2 0 0 0-2 2v4.600l-1.300.500c-.500.200-.800.700-.600 1.200zM6 6h12v4L12 8 6 10z",
  generic: "M4 11h12l-5-5 1.400-1.400L20 12l-7.600 7.400L11 18l5-5H4z",
};

function vehicle(type) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", `vehicle ${type}`);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", VEHICLES[type] ?? VEHICLES.generic);
  svg.append(path);
  return svg;
}

const STATUS = {
  voided: "No longer valid",
  expired: "Expired",
  completed: "Used",
  inactive: "Inactive",
};

const picture = (card, name, alt = "") =>
  card.images[name] === undefined
    ? undefined
    : make("img", `picture-${name}`, [], { src: card.images[name], alt, decoding: "sync" });

function field({ key, label, value, align }, className, changed) {
  const classes = [className, align === undefined ? "" : `to-${align}`];
  if (changed.has(key)) classes.push("changed");
  return make("div", `field ${classes.join(" ").trim()}`, [
    make("dt", "", [label]),
    make("dd", "", [value]),
  ]);
}

const row = (fields, className, changed) =>
  fields.length === 0
    ? undefined
    : make(
        "dl",
        `row ${className} of-${fields.length}`,
        fields.map((one) => field(one, "", changed)),
      );

function barcode(card, phoneId) {
  if (card.barcode === undefined) return undefined;
  const { format, message, text } = card.barcode;
  const source = `simulator/api/phones/${phoneId}/passes/${card.key}/barcode.svg?v=${encodeURIComponent(card.updatedAt)}`;
  return make("div", `barcode ${format}`, [
    make("img", "", [], { src: source, alt: `Barcode: ${message.slice(0, 120)}` }),
    make("span", "", [text]),
  ]);
}

function banner({ status }) {
  return STATUS[status] === undefined ? undefined : make("p", "status", [STATUS[status]]);
}

function appleTop(card, changed) {
  return make("header", "top", [
    picture(card, "logo", card.organization),
    make("span", "logo-text", [card.logoText]),
    row(card.header, "header", changed),
  ]);
}

function journey(card, changed) {
  const [from, to] = card.primary;
  const end = (one, className) => make("dl", "", one ? [field(one, className, changed)] : []);
  return make("div", "row journey", [end(from, ""), vehicle(card.transit), end(to, "to-right")]);
}

function appleMain(card, changed) {
  if (card.kind === "boardingPass") return [journey(card, changed)];
  if (card.kind === "posterGeneric") {
    const [title, ...others] = card.primary;
    return [
      row(title === undefined ? [] : [title], "primary", changed),
      row(others, "secondary", changed),
    ];
  }
  const strip = picture(card, "strip");
  const primary = row(card.primary, "primary", changed);
  if (strip !== undefined) return [make("div", "strip", [strip, primary])];
  const thumbnail = picture(card, "thumbnail");
  return [make("div", "beside", [make("div", "grow", [primary]), thumbnail])];
}

function appleFront(card, phoneId, changed) {
  const rows = [
    row(card.secondary, "secondary", changed),
    row(card.auxiliary, "auxiliary", changed),
  ];
  if (card.kind === "boardingPass") rows.reverse();
  return [
    picture(card, card.kind === "posterGeneric" ? "artwork" : "background"),
    appleTop(card, changed),
    ...appleMain(card, changed),
    ...rows,
    banner(card),
    barcode(card, phoneId),
  ];
}

function googleFront(card, phoneId, changed) {
  const [title] = card.primary;
  return [
    make("header", "top", [
      picture(card, "logo", card.organization) ??
        make("span", "initial", [card.organization.slice(0, 1)], { ariaHidden: "true" }),
      make("span", "logo-text", [card.logoText]),
    ]),
    make("div", "title", [
      title?.label ? make("p", "subtitle", [title.label]) : undefined,
      make("p", "name", [title?.value ?? ""]),
    ]),
    ...card.rows.map((fields) => row(fields, "secondary", changed)),
    banner(card),
    barcode(card, phoneId),
    picture(card, "hero"),
  ];
}

function span({ text, href }) {
  if (href === undefined) return text;
  return make("a", "", [text], { href, rel: "noreferrer noopener", target: "_blank" });
}

function back(card, changed) {
  const entries = card.back.map(({ key, label, value, spans }) =>
    make("div", changed.has(key) ? "entry changed" : "entry", [
      label === "" ? undefined : make("dt", "", [label]),
      make("dd", "", (spans ?? [{ text: value }]).map(span)),
    ]),
  );
  const facts = make("div", "entry facts", [
    make("dt", "", [card.wallet === "apple" ? "Signed by" : "Issued by"]),
    make("dd", "", [card.vouchedBy]),
  ]);
  return [
    make("h3", "", [card.description || card.organization]),
    make("dl", "", [...entries, facts]),
  ];
}

/** The keys of fields that read otherwise than before. */
export function changedKeys(before, after) {
  if (before === undefined) return new Set();
  const flat = ({ header, primary, secondary, auxiliary, rows, back: rest }) =>
    [header, primary, secondary, auxiliary, rows.flat(), rest].flat();
  const known = new Map(flat(before).map(({ key, value }) => [key, value]));
  return new Set(
    flat(after)
      .filter(({ key, value }) => known.get(key) !== value)
      .map(({ key }) => key),
  );
}

/** The pass as it lies in the wallet; `isFlipped` shows its back. */
export function drawCard(card, { phoneId, isFlipped, changed }) {
  const draw = card.wallet === "apple" ? appleFront : googleFront;
  const front = make("div", "face front", draw(card, phoneId, changed));
  const rear = make("div", "face rear", back(card, changed));
  front.inert = isFlipped;
  rear.inert = !isFlipped;
  // A long back is scrolled, and that must be possible without a pointer.
  rear.tabIndex = 0;
  const element = make("article", `card ${card.wallet} ${card.kind} is-${card.status}`, [
    make("div", "turn", [front, rear]),
  ]);
  if (isFlipped) element.classList.add("flipped");
  if (card.images.strip !== undefined) element.classList.add("has-strip");
  const cover = card.kind === "posterGeneric" ? card.images.artwork : card.images.background;
  if (cover !== undefined) element.classList.add("has-background");
  // Set by script, as styles within the page are not allowed.
  element.style.setProperty("--background", card.colors.background);
  element.style.setProperty("--foreground", card.colors.foreground);
  element.style.setProperty("--label", card.colors.label);
  element.setAttribute("aria-label", `${card.description}, ${isFlipped ? "back" : "front"}`);
  return element;
}

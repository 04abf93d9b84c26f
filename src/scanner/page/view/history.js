// The last scans below the camera, and what the service decided otherwise above it.
import { byId, drawing, make, shorten } from "./dom.js";
import { sayReason } from "./result.js";
import { number, say, time } from "./words.js";

const SHOWN = 12;

/** Redrawn only if they differ: screen readers read an alert again otherwise. */
export function drawConflicts(conflicts) {
  const banner = byId("conflict-banner");
  const rows = conflicts.map(({ name, data, at, conflict: { here, there } }) =>
    make("li", "", [
      make("strong", "", [name ?? shorten(data)]),
      ` ${time(at)} `,
      make("span", "", [say("conflictText", { here: verdictOf(here), there: verdictOf(there) })]),
    ]),
  );
  const title = say("conflicts", { count: number(conflicts.length) });
  const list = byId("conflict-list");
  const before = `${byId("conflict-text").textContent}${list.textContent}`;
  if (`${title}${rows.map(({ textContent }) => textContent).join("")}` !== before) {
    byId("conflict-text").textContent = title;
    list.replaceChildren(...rows);
  }
  banner.hidden = conflicts.length === 0;
}

function verdictOf({ decision, reason, problem }) {
  const why = problem ?? sayReason({ reason }).replace(/\.$/, "");
  return why === "" ? say(decision) : `${say(decision)} (${why})`;
}

/** `history` has the newest first. */
export function drawHistory(history) {
  const entries = history.slice(0, SHOWN);
  byId("history").replaceChildren(
    ...entries.map(({ verdict, reason, problem, name, data, passType, at, isWaiting, conflict }) =>
      make("li", verdict, [
        drawing(verdict),
        make("div", "", [
          make("strong", "", [name ?? shorten(data)]),
          make("span", "detail", [
            [
              say(verdict),
              verdict === "unchecked" ? "" : sayReason({ reason, problem }) || passType,
            ]
              .filter((part) => part !== undefined && part !== "")
              .join(" · "),
          ]),
        ]),
        isWaiting ? make("span", "mark", [say("waitingMark")]) : undefined,
        conflict === undefined ? undefined : make("span", "mark bad", [say("conflictMark")]),
        make("time", "", [time(at)], { dateTime: at }),
      ]),
    ),
  );
  byId("history-empty").hidden = entries.length > 0;
}

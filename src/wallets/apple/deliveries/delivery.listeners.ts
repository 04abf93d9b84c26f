import { listen } from "#kernel/events/listen.ts";
import {
  passDisabled,
  passEnabled,
  passExpired,
  passNotified,
  passUpdated,
} from "#src/passes/public.ts";
import { configurationPublished } from "#src/tenants/public.ts";
import { PRIVILEGE_CHANGES, passesShowing } from "../../privilege.changes.ts";
import { passChangesOf } from "../../publication.changes.ts";
import { updateFanOutVersion } from "../fan-out/fan-out.repository.ts";
import { startFanOut } from "../fan-out/fan-out.service.ts";
import { resumePushes } from "../push/push-queue.service.ts";
import { hasRegistrations, listRegisteredAmong } from "./delivery.repository.ts";
import { tellDevices, tellDevicesOfPrivileges } from "./delivery.service.ts";

/**
 * The event says whether a device holds the pass. So a change of any other pass costs nothing here,
 * not even a question to the database.
 */
export const tellOnChange = listen(
  [passUpdated, passDisabled, passEnabled, passExpired],
  async (tx, events) => {
    const held = events.filter(({ data }) => data.providers.apple.devices > 0);
    tellDevices(tx, [...new Set(held.map(({ data }) => data.id))]);
  },
);

/** The message is a part of the pass, so devices fetch it like any other change. */
export const tellOnMessage = listen(passNotified, async (tx, events) => {
  const ids = [...new Set(events.map(({ data }) => data.id))];
  tellDevices(tx, await listRegisteredAmong(tx, ids));
});

/** Only where the pass that was issued shows privileges, and a device holds it. */
export const tellOnPrivilege = listen(PRIVILEGE_CHANGES, async (tx, events) => {
  tellDevicesOfPrivileges(tx, passesShowing(events));
});

/** The workers tell them one after the other, because there may be a million devices. */
export const tellOnPublication = listen(configurationPublished, async (tx, events) => {
  const change = passChangesOf(tx, "apple", events);
  const affectsPasses = change.paths?.length !== 0;
  // Apple may have refused what the settings said before, also where no pass shows it.
  const isOfSettings = events.some(({ data }) =>
    data.changes.some(({ path }) => path === SETTINGS),
  );
  if (affectsPasses || isOfSettings) await resumePushes(tx);
  if (!affectsPasses) updateFanOutVersion(tx, change.version);
  else if (await hasRegistrations(tx)) await startFanOut(tx, change);
});

const SETTINGS = "server/apple.yml";

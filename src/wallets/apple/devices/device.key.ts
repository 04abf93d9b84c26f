/** A device has another push token for each pass type. */
export type DeviceKey = { readonly deviceId: string; readonly passTypeIdentifier: string };

/** The hint that objects of a tenant are due. */
export const OBJECT_HINT = "google-object";

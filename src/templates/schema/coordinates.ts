import Type from "typebox";

/** The members of a location, for stores and for templates. */
export const coordinates = {
  latitude: Type.Number({
    minimum: -90,
    maximum: 90,
    description: "In degrees, north of the equator.",
    examples: [48.8571],
  }),
  longitude: Type.Number({
    minimum: -180,
    maximum: 180,
    description: "In degrees, east of Greenwich.",
    examples: [2.3592],
  }),
};

/*
 * What Apple publishes about pass.json, as data and nothing else: names, types and values. Rules read
 * it with code of their own, and so does the simulated phone.
 *
 * A type is the name of a simple type, of an enumeration or of an object below; `[]` behind it means a
 * list. Simple types: text, number, integer, uint16, boolean, date (with time and zone), url, uuid,
 * color, value (of a field: a text or a number), change (a text with one %@, and %% for other percent
 * signs; iOS shows words of its own in place of another) and any.
 *
 * Some names stand here twice, such as URLs and urls: Apple's pages and the programs that Apple and others
 * publish differ, and a name that may be right is called unknown to nobody.
 */

export type PassJsonObject = {
  readonly members: Readonly<Record<string, string>>;
  readonly required?: readonly string[];
  /** Members that are worth nothing without another one: iOS refuses the pass. */
  readonly needs?: Readonly<Record<string, string>>;
};

export type PassJsonEnumeration = {
  readonly values: readonly string[];
  /** Whether a pass with another value is refused. Elsewhere a newer system may know more. */
  readonly isClosed: boolean;
};

type Members = Readonly<Record<string, string>>;

const all = (type: string, ...names: readonly string[]): Members =>
  Object.fromEntries(names.map((name) => [name, type]));

/** Links of events, which stand at the top and in each upcoming one. */
const EVENT_LINKS: Members = {
  ...all("url", "accessibilityURL", "addOnURL", "bagPolicyURL", "contactVenueWebsite"),
  ...all("url", "directionsInformationURL", "merchandiseURL", "orderFoodURL", "sellURL"),
  ...all("url", "parkingInformationURL", "purchaseParkingURL", "transferURL"),
  ...all("url", "transitInformationURL"),
  ...all("text", "contactVenueEmail", "contactVenuePhoneNumber"),
};

const FIELDS: Members = all(
  "Field[]",
  ...["headerFields", "primaryFields", "secondaryFields", "auxiliaryFields", "backFields"],
  ...["additionalInfoFields", "footerFields"],
);

const SEMANTICS: Members = {
  ...all("text", "admissionLevel", "admissionLevelAbbreviation", "additionalTicketAttributes"),
  ...all("text", "attendeeName", "entranceDescription", "eventLiveMessage", "eventName", "genre"),
  ...all("text", "venueEntrance", "venueEntranceDoor", "venueEntranceGate", "venueEntrancePortal"),
  ...all("text", "venueName", "venuePhoneNumber", "venueRegionName", "venueRoom"),
  ...all("text", "awayTeamAbbreviation", "awayTeamLocation", "awayTeamName"),
  ...all("text", "homeTeamAbbreviation", "homeTeamLocation", "homeTeamName"),
  ...all("text", "leagueAbbreviation", "leagueName", "sportName"),
  ...all("text", "airlineCode", "airlineLoungePlaceID", "boardingGroup", "boardingZone"),
  ...all("text", "boardingSequenceNumber", "carNumber", "confirmationNumber", "flightCode"),
  ...all("text", "departureAirportCode", "departureAirportName", "departureAirportTimeZone"),
  ...all("text", "departureCityName", "departureGate", "departureLocationDescription"),
  ...all("text", "departureLocationTimeZone", "departurePlatform", "departureStationName"),
  ...all("text", "departureTerminal", "destinationAirportCode", "destinationAirportName"),
  ...all("text", "destinationAirportTimeZone", "destinationCityName", "destinationGate"),
  ...all("text", "destinationLocationDescription", "destinationLocationTimeZone"),
  ...all("text", "destinationPlatform", "destinationStationName", "destinationTerminal"),
  ...all("text", "internationalDocumentsVerifiedDeclarationName", "membershipProgramName"),
  ...all("text", "membershipProgramNumber", "membershipProgramStatus", "priorityStatus"),
  ...all("text", "securityScreening", "ticketFareClass", "transitProvider", "transitStatus"),
  ...all("text", "transitStatusReason", "vehicleName", "vehicleNumber", "vehicleType"),
  ...all("text[]", "albumIDs", "artistIDs", "performerNames", "playlistIDs", "loungePlaceIDs"),
  ...all("text[]", "passengerCapabilities", "passengerAirlineSSRs", "passengerInformationSSRs"),
  ...all("text[]", "passengerServiceSSRs", "passengerEligibleSecurityPrograms"),
  ...all("text[]", "departureAirportSecurityPrograms", "destinationAirportSecurityPrograms"),
  ...all("text[]", "departureLocationSecurityPrograms", "destinationLocationSecurityPrograms"),
  ...all("date", "eventStartDate", "eventEndDate", "venueBoxOfficeOpenDate", "venueCloseDate"),
  ...all("date", "venueDoorsOpenDate", "venueFanZoneOpenDate", "venueGatesOpenDate"),
  ...all("date", "venueOpenDate", "venueParkingLotsOpenDate"),
  ...all("date", "currentArrivalDate", "currentBoardingDate", "currentDepartureDate"),
  ...all("date", "originalArrivalDate", "originalBoardingDate", "originalDepartureDate"),
  ...all("boolean", "tailgatingAllowed", "internationalDocumentsAreVerified", "silenceRequested"),
  ...all("Location", "venueLocation", "departureLocation", "destinationLocation"),
  ...all("Amount", "balance", "totalPrice"),
  airplay: "Airplay[]",
  duration: "number",
  flightNumber: "integer",
  eventType: "EventType",
  eventStartDateInfo: "EventDate",
  passengerName: "PersonName",
  seats: "Seat[]",
  wifiAccess: "Wifi[]",
};

/** The object that pass.json is. */
export const PASS_JSON_ROOT = "Pass";

/** The members of the root that hold fields. In each, no two fields have the same key. */
export const PASS_JSON_STYLES: readonly string[] = [
  ...["boardingPass", "coupon", "eventTicket", "generic", "storeCard", "posterGeneric"],
];

/** The members of a style that are lists of fields. iOS ignores all others. */
export const PASS_JSON_FIELD_LISTS: readonly string[] = Object.keys(FIELDS);

export const PASS_JSON_OBJECTS: Readonly<Record<string, PassJsonObject>> = {
  Pass: {
    members: {
      ...all("text", "serialNumber", "authenticationToken", "passTypeIdentifier"),
      ...all("text", "teamIdentifier", "organizationName", "description", "eventLogoText"),
      ...all("text", "logoText", "logoSymbolName", "groupingIdentifier"),
      ...all("text", "transitProviderEmail", "transitProviderPhoneNumber"),
      ...all("integer[]", "associatedStoreIdentifiers", "auxiliaryStoreIdentifiers"),
      ...all("boolean", "sharingProhibited", "voided", "suppressHeaderDarkening"),
      ...all("boolean", "useAutomaticColors", "suppressStripShine"),
      ...all("date", "expirationDate", "relevantDate"),
      ...all("color", "backgroundColor", "foregroundColor", "labelColor", "stripColor"),
      ...all("color", "footerBackgroundColor"),
      ...EVENT_LINKS,
      ...all("url", "webServiceURL", "appLaunchURL", "changeSeatURL", "entertainmentURL"),
      ...all("url", "purchaseAdditionalBaggageURL", "purchaseLoungeAccessURL", "purchaseWifiURL"),
      ...all("url", "upgradeURL", "managementURL", "registerServiceAnimalURL"),
      ...all("url", "reportLostBagURL", "requestWheelchairURL", "trackBagsURL"),
      ...all("url", "transitProviderWebsiteURL"),
      ...all("Fields", "coupon", "eventTicket", "generic", "storeCard", "posterGeneric"),
      formatVersion: "integer",
      maxDistance: "number",
      boardingPass: "TransitFields",
      barcode: "Barcode",
      barcodes: "Barcode[]",
      locations: "Location[]",
      beacons: "Beacon[]",
      relevantDates: "RelevantDate[]",
      nfc: "Nfc",
      semantics: "Semantics",
      preferredStyleSchemes: "text[]",
      featuredActions: "Action[]",
      upcomingPassInformation: "Upcoming[]",
      userInfo: "any",
    },
    required: ["organizationName", "description"],
    needs: { appLaunchURL: "associatedStoreIdentifiers" },
  },
  Fields: { members: FIELDS },
  TransitFields: { members: { ...FIELDS, transitType: "TransitType" }, required: ["transitType"] },
  Field: {
    members: {
      ...all("text", "key", "label", "attributedValue", "currencyCode"),
      ...all("DateStyle", "dateStyle", "timeStyle"),
      ...all("boolean", "ignoresTimeZone", "isRelative"),
      value: "value",
      changeMessage: "change",
      dataDetectorTypes: "DataDetectorType[]",
      textAlignment: "TextAlignment",
      numberStyle: "NumberStyle",
      row: "integer",
      semantics: "Semantics",
    },
    required: ["key", "value"],
  },
  Barcode: {
    members: { ...all("text", "message", "messageEncoding", "altText"), format: "BarcodeFormat" },
    required: ["format", "message", "messageEncoding"],
  },
  Location: {
    members: { ...all("number", "latitude", "longitude", "altitude"), relevantText: "text" },
    required: ["latitude", "longitude"],
  },
  Beacon: {
    members: { ...all("uint16", "major", "minor"), proximityUUID: "uuid", relevantText: "text" },
    required: ["proximityUUID"],
  },
  RelevantDate: {
    members: all("date", "date", "relevantDate", "startDate", "endDate"),
    needs: { endDate: "startDate" },
  },
  Nfc: {
    members: {
      ...all("text", "message", "encryptionPublicKey"),
      requiresAuthentication: "boolean",
    },
    required: ["message", "encryptionPublicKey"],
  },
  Action: { members: { ...all("text", "identifier", "placeIdentifier", "type"), url: "url" } },
  Semantics: { members: SEMANTICS },
  Amount: { members: all("text", "amount", "currencyCode") },
  EventDate: {
    members: {
      ...all("text", "date", "timeZone"),
      ...all("boolean", "ignoreTimeComponents", "unannounced", "undetermined"),
    },
  },
  PersonName: {
    members: all(
      "text",
      ...["namePrefix", "givenName", "middleName", "familyName", "nameSuffix", "nickname"],
      "phoneticRepresentation",
    ),
  },
  Seat: {
    members: {
      ...all("text", "seatDescription", "seatIdentifier", "seatNumber", "seatRow"),
      ...all("text", "seatSection", "seatAisle", "seatLevel", "seatType"),
      seatSectionColor: "color",
    },
  },
  Wifi: { members: all("text", "ssid", "password") },
  Airplay: { members: all("text", "airplayDeviceGroupToken", "airPlayDeviceGroupToken") },
  Upcoming: {
    members: {
      ...all("text", "identifier", "name", "type"),
      ...all("Field[]", "additionalInfoFields", "backFields"),
      ...all("UpcomingLinks", "URLs", "urls"),
      auxiliaryStoreIdentifiers: "integer[]",
      dateInformation: "UpcomingDate",
      images: "UpcomingImages",
      isActive: "boolean",
      semantics: "UpcomingSemantics",
    },
  },
  UpcomingSemantics: { members: { ...SEMANTICS, venuePlaceID: "text" } },
  UpcomingLinks: { members: EVENT_LINKS },
  UpcomingDate: {
    members: {
      ...all("boolean", "ignoreTimeComponents", "isAllDay", "isUnannounced", "isUndetermined"),
      date: "date",
      timeZone: "text",
    },
  },
  UpcomingImages: { members: all("UpcomingImage", "headerImage", "venueMap") },
  UpcomingImage: {
    members: { ...all("UpcomingImageAddress[]", "URLs", "urls"), reuseExisting: "boolean" },
  },
  UpcomingImageAddress: {
    members: {
      ...all("text", "SHA256", "sha256"),
      ...all("url", "URL", "url"),
      scale: "number",
      size: "integer",
    },
  },
};

const values = (isClosed: boolean, prefix: string, ...names: readonly string[]) => ({
  isClosed,
  values: names.map((name) => `${prefix}${name}`),
});

export const PASS_JSON_ENUMERATIONS: Readonly<Record<string, PassJsonEnumeration>> = {
  TransitType: values(true, "PKTransitType", "Air", "Boat", "Bus", "Generic", "Train"),
  BarcodeFormat: values(
    true,
    "PKBarcodeFormat",
    ...["QR", "PDF417", "Aztec", "Code128", "Code39", "Codabar", "EAN13", "I2of5"],
  ),
  DateStyle: values(true, "PKDateStyle", "None", "Short", "Medium", "Long", "Full"),
  NumberStyle: values(true, "PKNumberStyle", ...["Decimal", "Percent", "Scientific", "SpellOut"]),
  TextAlignment: values(true, "PKTextAlignment", "Natural", "Left", "Center", "Right"),
  DataDetectorType: values(
    false,
    "PKDataDetectorType",
    ...["PhoneNumber", "Link", "Address", "CalendarEvent"],
  ),
  EventType: values(
    false,
    "PKEventType",
    ...["Generic", "LivePerformance", "Movie", "Sports", "Conference", "Convention"],
    ...["Workshop", "SocialGathering"],
  ),
};

/** Form of a date that iOS reads: seconds are optional, the zone is not. */
export const PASS_JSON_DATE =
  "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[+-]\\d{2}:\\d{2})$";

/** iOS ignores an interval of `relevantDates` that is longer. */
export const RELEVANT_SPAN_MAX_MS = 24 * 3_600_000;

/** A field with one of these members shows a date, so its value has to be one. */
export const PASS_JSON_DATE_STYLES: readonly string[] = ["dateStyle", "timeStyle"];

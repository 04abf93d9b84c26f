import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { passJsonProblems } from "./pass-json.check.ts";

const names = (...lines: readonly string[]): readonly string[] =>
  lines.join(" ").trim().split(/\s+/);

const EVENT_LINKS = names(
  "bagPolicyURL orderFoodURL parkingInformationURL directionsInformationURL purchaseParkingURL",
  "merchandiseURL transitInformationURL accessibilityURL addOnURL contactVenueEmail",
  "contactVenuePhoneNumber contactVenueWebsite transferURL sellURL",
);
const FIELD_LISTS = names(
  "headerFields primaryFields secondaryFields auxiliaryFields backFields additionalInfoFields",
  "footerFields",
);
const STYLES = names("coupon eventTicket generic storeCard posterGeneric");
const ENDS = ["departure", "destination"].flatMap((end) =>
  names(
    "AirportCode AirportName AirportTimeZone CityName Gate Terminal Platform StationName Location",
    "LocationDescription LocationTimeZone LocationSecurityPrograms AirportSecurityPrograms",
  ).map((name) => `${end}${name}`),
);
const TIMES = ["original", "current"].flatMap((when) =>
  names("Boarding Departure Arrival").map((what) => `${when}${what}Date`),
);
const SEMANTICS = [
  ...names(
    "eventName eventType eventStartDate eventEndDate eventStartDateInfo duration genre",
    "silenceRequested tailgatingAllowed attendeeName admissionLevel admissionLevelAbbreviation",
    "additionalTicketAttributes entranceDescription performerNames artistIDs albumIDs playlistIDs",
    "venueName venueLocation venueRoom venueRegionName venuePhoneNumber venueEntrance",
    "venueEntranceDoor venueEntranceGate venueEntrancePortal venueOpenDate venueCloseDate",
    "venueDoorsOpenDate venueGatesOpenDate venueBoxOfficeOpenDate venueParkingLotsOpenDate",
    "venueFanZoneOpenDate homeTeamName homeTeamLocation homeTeamAbbreviation awayTeamName",
    "awayTeamLocation awayTeamAbbreviation leagueName leagueAbbreviation sportName seats wifiAccess",
    "eventLiveMessage airplay airlineCode flightCode flightNumber transitProvider transitStatus",
    "transitStatusReason vehicleName vehicleNumber vehicleType carNumber confirmationNumber",
    "boardingGroup boardingZone boardingSequenceNumber ticketFareClass priorityStatus",
    "securityScreening passengerName passengerCapabilities passengerEligibleSecurityPrograms",
    "passengerAirlineSSRs passengerInformationSSRs passengerServiceSSRs airlineLoungePlaceID",
    "internationalDocumentsAreVerified internationalDocumentsVerifiedDeclarationName",
    "loungePlaceIDs membershipProgramName membershipProgramNumber membershipProgramStatus",
    "totalPrice balance",
  ),
  ...ENDS,
  ...TIMES,
];
const FIELD = names(
  "key value label attributedValue changeMessage dataDetectorTypes textAlignment dateStyle",
  "timeStyle ignoresTimeZone isRelative numberStyle currencyCode semantics row",
);

/** Every name that Apple's pages and programs have, by its place; `[]` is an element of a list. */
const NAMES: readonly (readonly [place: string, names: readonly string[]])[] = [
  [
    "",
    [
      ...names(
        "formatVersion passTypeIdentifier serialNumber teamIdentifier organizationName description",
        "appLaunchURL associatedStoreIdentifiers auxiliaryStoreIdentifiers userInfo expirationDate",
        "voided sharingProhibited groupingIdentifier webServiceURL authenticationToken barcodes",
        "barcode locations maxDistance beacons relevantDates relevantDate backgroundColor",
        "foregroundColor labelColor stripColor footerBackgroundColor logoText eventLogoText",
        "logoSymbolName suppressStripShine suppressHeaderDarkening useAutomaticColors nfc semantics",
        "preferredStyleSchemes upcomingPassInformation featuredActions changeSeatURL",
        "entertainmentURL purchaseAdditionalBaggageURL purchaseLoungeAccessURL purchaseWifiURL",
        "upgradeURL managementURL registerServiceAnimalURL reportLostBagURL requestWheelchairURL",
        "trackBagsURL transitProviderEmail transitProviderPhoneNumber transitProviderWebsiteURL",
        "boardingPass",
      ),
      ...EVENT_LINKS,
      ...STYLES,
    ],
  ],
  ["boardingPass", ["transitType", ...FIELD_LISTS]],
  ...STYLES.map((style) => [style, FIELD_LISTS] as const),
  ["eventTicket.auxiliaryFields[]", FIELD],
  ["barcodes[]", names("format message messageEncoding altText")],
  ["locations[]", names("latitude longitude altitude relevantText")],
  ["beacons[]", names("proximityUUID major minor relevantText")],
  ["relevantDates[]", names("date relevantDate startDate endDate")],
  ["nfc", names("message encryptionPublicKey requiresAuthentication")],
  ["featuredActions[]", names("identifier type url placeIdentifier")],
  ["semantics", SEMANTICS],
  ["storeCard.backFields[].semantics", SEMANTICS],
  ["upcomingPassInformation[].semantics", [...SEMANTICS, "venuePlaceID"]],
  [
    "semantics.eventStartDateInfo",
    names("date timeZone ignoreTimeComponents unannounced undetermined"),
  ],
  ["semantics.venueLocation", names("latitude longitude")],
  [
    "semantics.seats[]",
    names(
      "seatSection seatRow seatNumber seatIdentifier seatType seatDescription seatAisle seatLevel",
      "seatSectionColor",
    ),
  ],
  ["semantics.wifiAccess[]", names("ssid password")],
  ["semantics.airplay[]", names("airplayDeviceGroupToken")],
  [
    "semantics.passengerName",
    names("givenName familyName middleName namePrefix nameSuffix nickname phoneticRepresentation"),
  ],
  ["semantics.totalPrice", names("amount currencyCode")],
  ["semantics.balance", names("amount currencyCode")],
  [
    "upcomingPassInformation[]",
    names(
      "identifier name type isActive dateInformation semantics backFields additionalInfoFields",
      "auxiliaryStoreIdentifiers URLs urls images",
    ),
  ],
  [
    "upcomingPassInformation[].dateInformation",
    names("date timeZone ignoreTimeComponents isAllDay isUnannounced isUndetermined"),
  ],
  ["upcomingPassInformation[].URLs", EVENT_LINKS],
  ["upcomingPassInformation[].images", names("headerImage venueMap")],
  ["upcomingPassInformation[].images.headerImage", names("URLs urls reuseExisting")],
  ["upcomingPassInformation[].images.venueMap.URLs[]", names("URL url SHA256 sha256 scale size")],
];

function placed(place: string, members: object): object {
  const steps = place === "" ? [] : place.split(".");
  return steps.reduceRight<object>((inner, step) => {
    const name = step.replace("[]", "");
    return { [name]: name === step ? inner : [inner] };
  }, members);
}

describe("the table of what pass.json may hold", () => {
  for (const [place, members] of NAMES) {
    it(`has every name of ${place === "" ? "a pass" : place}`, () => {
      // A member without a value has a name and no wrong type.
      const none = Object.fromEntries(members.map((name) => [name, null]));
      const unknown = passJsonProblems({ ...placed(place, none) }).filter(
        ({ kind }) => kind === "unknown",
      );
      assert.deepEqual(unknown, []);
    });
  }

  it("does not have others", () => {
    for (const [place] of NAMES) {
      const problems = passJsonProblems({ ...placed(place, { ours: null }) });
      assert.ok(
        problems.some(({ kind, path }) => kind === "unknown" && path.at(-1) === "ours"),
        place,
      );
    }
  });
});

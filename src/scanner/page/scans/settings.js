// What the settings of a device mean to this page. They are free, so each is checked.

const GUN_TYPES = ["qrcode", "pdf417", "aztec", "code128", "ean13", "datamatrix", "manual"];
const RESULT_SECONDS = 8;
const RESULT_SECONDS_MAX = 600;

const text = (value) => (typeof value === "string" && value !== "" ? value : undefined);

export function readSettings(settings = {}) {
  return {
    language: text(settings.language),
    sound: settings.sound !== false,
    vibration: settings.vibration !== false,
    camera: settings.camera === "user" ? "user" : "environment",
    /** Sent with each scan. */
    location: text(settings.location),
    /** Guns do not tell what kind of code they read. */
    gunType: GUN_TYPES.includes(settings.gunType) ? settings.gunType : "qrcode",
    /** What every accepted scan redeems. Without it, a person chooses after the scan. */
    redeem: readRedeem(settings.redeem),
    /** The only types of passes that are accepted here. */
    passTypes: Array.isArray(settings.passTypes) ? settings.passTypes : undefined,
    /** Whether a list is kept for times without a network. */
    gateList: settings.gateList !== false,
    /** How long a result stays; 0 until the next scan. */
    resultSeconds: readSeconds(settings.resultSeconds),
  };
}

function readRedeem(redeem) {
  const privilegeId = text(redeem?.privilegeId);
  if (privilegeId === undefined) return undefined;
  const amount = Number(redeem.amount);
  return { privilegeId, amount: amount > 0 && Number.isFinite(amount) ? amount : 1 };
}

function readSeconds(seconds) {
  if (typeof seconds !== "number" || !(seconds >= 0)) return RESULT_SECONDS;
  return Math.min(seconds, RESULT_SECONDS_MAX);
}

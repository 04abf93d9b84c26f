// Follows from the definitions of the events by `npm run generate`: changes made by hand are lost there.

/** Every event: its name, when it happens, and an example of its `data` as JSON. */
export const catalogue = [
  {
    name: "api-key.created",
    when: "An API key was created. The token itself is never part of an event.",
    body: '{"name":"till-7","scopes":["Pass.Read","PassScan.Scan"],"expiresAt":"2030-01-01T00:00:00.000Z","createdAt":"2026-03-02T09:30:00.000Z","createdBy":"ana@cafe-lune.example","lastUsedAt":null,"prefix":"bf_test_4kQz"}',
  },
  {
    name: "api-key.deleted",
    when: "An API key was revoked and deleted.",
    body: '{"name":"till-7","scopes":["Pass.Read","PassScan.Scan"],"expiresAt":"2030-01-01T00:00:00.000Z","createdAt":"2026-03-02T09:30:00.000Z","createdBy":"ana@cafe-lune.example","lastUsedAt":null,"prefix":"bf_test_4kQz"}',
  },
  {
    name: "api-key.updated",
    when: "The name, the scopes or the expiry of an API key changed.",
    body: '{"name":"till-7","scopes":["Pass.Read","PassScan.Scan"],"expiresAt":"2030-01-01T00:00:00.000Z","createdAt":"2026-03-02T09:30:00.000Z","createdBy":"ana@cafe-lune.example","lastUsedAt":null,"prefix":"bf_test_4kQz"}',
  },
  {
    name: "configuration.published",
    when: "A new version of the tenant's configuration is in force.",
    body: '{"tenantId":"cafe-lune","version":7,"changes":[{"path":"tenant.yml","change":"changed"}],"changeCount":1,"message":"Higher limit for the tills","author":"ana@cafe-lune.example"}',
  },
  {
    name: "credential.expiring",
    when: "A certificate in use expires soon: told 60, 30, 7 and 1 days before, once each.",
    body: '{"wallet":"apple","kind":"certificate","expiresAt":"2027-03-03T09:30:00.000Z","days":30,"subject":"UID=pass.example.cafe-lune, CN=Pass Type ID: pass.example.cafe-lune, OU=ABCDE12345","fingerprint":"5D:0A:77:42:9B:31:0C:66:E2:8F:11:3A:57:90:C4:DE:01:7B:25:AE:63:F8:4C:92:D7:1E:B0:39:86:5F:CA:13"}',
  },
  {
    name: "customer.created",
    when: "A customer was created.",
    body: '{"customerId":"cus_0VfQm3Ks00x7Rk2LwPq9Zt","identifiers":{"crm.id":"C-4711","loyalty.number":"40012345"},"email":"camille@example.com","phone":"+33142720000","firstName":"Camille","lastName":"Laurent","locale":"fr-FR","consents":{"newsletter":{"granted":true,"at":"2026-01-31T09:30:00.000Z","source":"till in the Marais"}},"createdAt":"2026-01-31T09:30:00.000Z","updatedAt":"2026-01-31T09:30:00.000Z","version":1}',
  },
  {
    name: "customer.deleted",
    when: "A customer was erased.",
    body: '{"customerId":"cus_0VfQm3Ks00x7Rk2LwPq9Zt"}',
  },
  {
    name: "customer.updated",
    when: "Something that is known of a customer changed.",
    body: '{"customerId":"cus_0VfQm3Ks00x7Rk2LwPq9Zt","identifiers":{"crm.id":"C-4711","loyalty.number":"40012345"},"email":"camille@example.com","phone":"+33142720000","firstName":"Camille","lastName":"Laurent","locale":"fr-FR","consents":{"newsletter":{"granted":true,"at":"2026-01-31T09:30:00.000Z","source":"till in the Marais"}},"createdAt":"2026-01-31T09:30:00.000Z","updatedAt":"2026-01-31T09:30:00.000Z","version":2}',
  },
  {
    name: "device.connected",
    when: "A device got its first key. The key itself is never part of an event.",
    body: '{"deviceId":"dev_0WnTq3Xk00aB3dE5fG7hI9","name":"North door","settings":{"passTypes":["loyalty"],"redeem":{"privilegeId":"entry","amount":1},"location":"North door","sound":true,"language":"fr"},"status":"connected","lastSeenAt":"2026-03-02T09:31:12.480Z","createdAt":"2026-03-02T09:30:00.000Z","updatedAt":"2026-03-02T09:30:40.000Z","version":2}',
  },
  {
    name: "device.deleted",
    when: "A device was removed, and its key ended.",
    body: '{"deviceId":"dev_0WnTq3Xk00aB3dE5fG7hI9","name":"North door","settings":{"passTypes":["loyalty"],"redeem":{"privilegeId":"entry","amount":1},"location":"North door","sound":true,"language":"fr"},"status":"connected","lastSeenAt":"2026-03-02T09:31:12.480Z","createdAt":"2026-03-02T09:30:00.000Z","updatedAt":"2026-03-02T09:30:40.000Z","version":2}',
  },
  {
    name: "device.registered",
    when: "A scanning device was registered. It has no key yet.",
    body: '{"deviceId":"dev_0WnTq3Xk00aB3dE5fG7hI9","name":"North door","settings":{"passTypes":["loyalty"],"redeem":{"privilegeId":"entry","amount":1},"location":"North door","sound":true,"language":"fr"},"status":"registered","lastSeenAt":null,"createdAt":"2026-03-02T09:30:00.000Z","updatedAt":"2026-03-02T09:30:40.000Z","version":1}',
  },
  {
    name: "device.reset",
    when: "A device that was connected got a new key, and its old key ended.",
    body: '{"deviceId":"dev_0WnTq3Xk00aB3dE5fG7hI9","name":"North door","settings":{"passTypes":["loyalty"],"redeem":{"privilegeId":"entry","amount":1},"location":"North door","sound":true,"language":"fr"},"status":"connected","lastSeenAt":"2026-03-02T09:31:12.480Z","createdAt":"2026-03-02T09:30:00.000Z","updatedAt":"2026-03-02T09:30:40.000Z","version":3}',
  },
  {
    name: "device.updated",
    when: "The name or the settings of a device changed.",
    body: '{"deviceId":"dev_0WnTq3Xk00aB3dE5fG7hI9","name":"North door","settings":{"passTypes":["loyalty"],"redeem":{"privilegeId":"entry","amount":1},"location":"North door","sound":true,"language":"fr"},"status":"connected","lastSeenAt":"2026-03-02T09:31:12.480Z","createdAt":"2026-03-02T09:30:00.000Z","updatedAt":"2026-03-02T09:30:40.000Z","version":2}',
  },
  {
    name: "enrolment-link.created",
    when: "A link to an enrolment form was made.",
    body: '{"code":"marais-door","passType":"loyalty","storeId":"marais","source":"Poster at the door","enabled":true,"url":"https://passes.example.com/r/cafe-lune/marais-door","visits":412,"enrolments":97,"createdAt":"2026-03-02T09:30:00.000Z","updatedAt":"2026-03-02T09:30:00.000Z","version":1}',
  },
  {
    name: "enrolment-link.deleted",
    when: "A link to an enrolment form was deleted.",
    body: '{"code":"marais-door","passType":"loyalty","storeId":"marais","source":"Poster at the door","enabled":true,"url":"https://passes.example.com/r/cafe-lune/marais-door","visits":412,"enrolments":97,"createdAt":"2026-03-02T09:30:00.000Z","updatedAt":"2026-03-02T09:30:00.000Z","version":1}',
  },
  {
    name: "enrolment-link.updated",
    when: "A link to an enrolment form changed; visits are not told.",
    body: '{"code":"marais-door","passType":"loyalty","storeId":"marais","source":"Poster at the door","enabled":true,"url":"https://passes.example.com/r/cafe-lune/marais-door","visits":412,"enrolments":97,"createdAt":"2026-03-02T09:30:00.000Z","updatedAt":"2026-03-02T09:30:00.000Z","version":1}',
  },
  {
    name: "enrolment.completed",
    when: "Somebody got a pass by the public form. Consents stand in the metadata of the pass.",
    body: '{"passId":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","passType":"loyalty","link":"marais-door","source":"Poster at the door","storeId":"marais","language":"fr","customerId":"cus_0VfQm3Ks00x7Rk2LwPq9Zt"}',
  },
  {
    name: "enrolment.repeated",
    when: "Somebody filled in the public form as a person who has such a pass. They were not shown it: send its link to the address you know.",
    body: '{"passId":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","passType":"loyalty","link":"marais-door","source":"Poster at the door","storeId":"marais","language":"fr"}',
  },
  {
    name: "extension.delivery-failed",
    when: "A delivery of a connected vendor could not be worked on. The inbox says why.",
    body: '{"connector":"shopify","deliveryId":"inb_0VfQm3Ks00x7Rk2LwPq9Zt","topic":"orders/paid","receivedAt":"2026-01-31T09:30:00.000Z","attempts":1}',
  },
  {
    name: "import.completed",
    when: "Every row of a file was tried; `failed` says how many did not succeed. Also for a file whose contents were imported before (`duplicateOf`), and for a dry run.",
    body: '{"importId":"imp_0VfQm3Ks00x7Rk2LwPq9Zt","fileName":"members.csv","source":"http","status":"processed","dryRun":false,"size":61234567,"contentHash":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","duplicateOf":null,"rows":1000000,"created":999000,"updated":900,"unchanged":90,"failed":10,"progress":1,"ratePerSecond":4000,"remainingSeconds":null,"problem":null,"createdBy":"crm","receivedAt":"2026-01-31T09:30:00.000Z","startedAt":"2026-01-31T09:30:02.000Z","finishedAt":"2026-01-31T09:34:12.000Z"}',
  },
  {
    name: "import.failed",
    when: "An import ended before every row was tried; `problem` says why.",
    body: '{"importId":"imp_0VfQm3Ks00x7Rk2LwPq9Zt","fileName":"members.csv","source":"http","status":"error","dryRun":false,"size":61234567,"contentHash":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","duplicateOf":null,"rows":0,"created":0,"updated":0,"unchanged":0,"failed":0,"progress":0,"ratePerSecond":null,"remainingSeconds":null,"problem":"The file has no header row.","createdBy":"crm","receivedAt":"2026-01-31T09:30:00.000Z","startedAt":"2026-01-31T09:30:02.000Z","finishedAt":"2026-01-31T09:34:12.000Z"}',
  },
  {
    name: "job.ended",
    when: "A job has ended; `state` says how. A change of one pass by its id is told only if it failed: otherwise the event of the pass tells of it.",
    body: '{"id":"job_0VfQm3Ks00x7Rk2LwPq9Zt","kind":"pass.update","state":"completed","request":{"selection":"filter","changes":["additionalData.tier"],"options":{}},"matched":100000,"processed":100000,"updated":99000,"unchanged":999,"failed":1,"progress":1,"ratePerSecond":5000,"remainingSeconds":0,"createdAt":"2026-01-31T09:30:00.000Z","createdBy":"crm-sync","startedAt":"2026-01-31T09:30:00.100Z","finishedAt":"2026-01-31T09:30:20.100Z"}',
  },
  {
    name: "job.progressed",
    when: "A job has done another tenth of its work, and is not at its end.",
    body: '{"id":"job_0VfQm3Ks00x7Rk2LwPq9Zt","kind":"pass.update","state":"running","request":{"selection":"filter","changes":["additionalData.tier"],"options":{}},"matched":100000,"processed":40000,"updated":39000,"unchanged":999,"failed":1,"progress":0.4,"ratePerSecond":5000,"remainingSeconds":12,"createdAt":"2026-01-31T09:30:00.000Z","createdBy":"crm-sync","startedAt":"2026-01-31T09:30:00.100Z","finishedAt":null}',
  },
  {
    name: "pass.created",
    when: "A pass was created.",
    body: '{"id":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","passType":"loyalty","status":"active","identifiers":{"crm.id":"C-4711","loyalty.number":"40012345"},"additionalData":{"firstName":"Camille"},"metadata":{},"providers":{"apple":{"status":"none","installedAt":null,"uninstalledAt":null,"devices":0},"google":{"status":"none","installedAt":null,"uninstalledAt":null,"devices":0}},"creationDate":"2026-01-31T09:30:00.000Z","lastUpdateDate":"2026-01-31T09:30:00.000Z","expirationDate":"2028-01-31T09:30:00.000Z","version":1}',
  },
  {
    name: "pass.deleted",
    when: "A pass was erased, and with it what was known of its holder.",
    body: '{"id":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","passType":"loyalty"}',
  },
  {
    name: "pass.disabled",
    when: "A pass was disabled.",
    body: '{"id":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","passType":"loyalty","status":"active","identifiers":{"crm.id":"C-4711","loyalty.number":"40012345"},"additionalData":{"firstName":"Camille"},"metadata":{},"providers":{"apple":{"status":"none","installedAt":null,"uninstalledAt":null,"devices":0},"google":{"status":"none","installedAt":null,"uninstalledAt":null,"devices":0}},"creationDate":"2026-01-31T09:30:00.000Z","lastUpdateDate":"2026-01-31T09:30:00.000Z","expirationDate":"2028-01-31T09:30:00.000Z","version":1}',
  },
  {
    name: "pass.enabled",
    when: "A pass that was disabled or had expired is active again.",
    body: '{"id":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","passType":"loyalty","status":"active","identifiers":{"crm.id":"C-4711","loyalty.number":"40012345"},"additionalData":{"firstName":"Camille"},"metadata":{},"providers":{"apple":{"status":"none","installedAt":null,"uninstalledAt":null,"devices":0},"google":{"status":"none","installedAt":null,"uninstalledAt":null,"devices":0}},"creationDate":"2026-01-31T09:30:00.000Z","lastUpdateDate":"2026-01-31T09:30:00.000Z","expirationDate":"2028-01-31T09:30:00.000Z","version":1}',
  },
  {
    name: "pass.expired",
    when: "The time of a pass is over.",
    body: '{"id":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","passType":"loyalty","status":"active","identifiers":{"crm.id":"C-4711","loyalty.number":"40012345"},"additionalData":{"firstName":"Camille"},"metadata":{},"providers":{"apple":{"status":"none","installedAt":null,"uninstalledAt":null,"devices":0},"google":{"status":"none","installedAt":null,"uninstalledAt":null,"devices":0}},"creationDate":"2026-01-31T09:30:00.000Z","lastUpdateDate":"2026-01-31T09:30:00.000Z","expirationDate":"2028-01-31T09:30:00.000Z","version":1}',
  },
  {
    name: "pass.installed",
    when: "A wallet holds a pass that was in none of its devices before.",
    body: '{"id":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","passType":"loyalty","status":"active","identifiers":{"crm.id":"C-4711","loyalty.number":"40012345"},"additionalData":{"firstName":"Camille"},"metadata":{},"providers":{"apple":{"status":"none","installedAt":null,"uninstalledAt":null,"devices":0},"google":{"status":"none","installedAt":null,"uninstalledAt":null,"devices":0}},"creationDate":"2026-01-31T09:30:00.000Z","lastUpdateDate":"2026-01-31T09:30:00.000Z","expirationDate":"2028-01-31T09:30:00.000Z","version":1,"wallet":"apple"}',
  },
  {
    name: "pass.notification-failed",
    when: "A wallet did not get a message to the holder of a pass: it refused it, or could not be told in time. It is not sent again.",
    body: '{"id":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","passType":"loyalty","wallet":"google","eventId":"evt_0VfQm3Ks00x7Rk2LwPq9Zt","notifiedAt":"2026-01-31T09:30:00.000Z","failedAt":"2026-02-03T10:23:00.000Z","reason":"Google refused the account for 3 days."}',
  },
  {
    name: "pass.notified",
    when: "A message was sent to the holder of a pass.",
    body: '{"id":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","passType":"loyalty","title":null,"content":"Your table is ready.","localizedContent":{}}',
  },
  {
    name: "pass.uninstalled",
    when: "The last device of a wallet that held a pass removed it.",
    body: '{"id":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","passType":"loyalty","status":"active","identifiers":{"crm.id":"C-4711","loyalty.number":"40012345"},"additionalData":{"firstName":"Camille"},"metadata":{},"providers":{"apple":{"status":"none","installedAt":null,"uninstalledAt":null,"devices":0},"google":{"status":"none","installedAt":null,"uninstalledAt":null,"devices":0}},"creationDate":"2026-01-31T09:30:00.000Z","lastUpdateDate":"2026-01-31T09:30:00.000Z","expirationDate":"2028-01-31T09:30:00.000Z","version":1,"wallet":"apple"}',
  },
  {
    name: "pass.update-delivered",
    when: "A wallet has the newest content of a pass that changed.",
    body: '{"id":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","passType":"loyalty","wallet":"apple","device":"q8Jm0vXr2Tt5Yc1B","revision":4,"pushes":1,"queuedAt":"2026-01-31T09:30:00.000Z","deliveredAt":"2026-01-31T09:30:02.410Z"}',
  },
  {
    name: "pass.update-failed",
    when: "A wallet did not get a pass that changed: it did not fetch it, however often it was told, or cannot be told. It gets the newest content when it asks by itself.",
    body: '{"id":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","passType":"loyalty","wallet":"apple","device":"q8Jm0vXr2Tt5Yc1B","revision":4,"pushes":5,"queuedAt":"2026-01-31T09:30:00.000Z","failedAt":"2026-02-02T16:45:00.000Z","reason":null}',
  },
  {
    name: "pass.updated",
    when: "Contents of a pass changed: its data, identifiers, metadata or expiry.",
    body: '{"id":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","passType":"loyalty","status":"active","identifiers":{"crm.id":"C-4711","loyalty.number":"40012345"},"additionalData":{"firstName":"Camille"},"metadata":{},"providers":{"apple":{"status":"none","installedAt":null,"uninstalledAt":null,"devices":0},"google":{"status":"none","installedAt":null,"uninstalledAt":null,"devices":0}},"creationDate":"2026-01-31T09:30:00.000Z","lastUpdateDate":"2026-01-31T09:30:00.000Z","expirationDate":"2028-01-31T09:30:00.000Z","version":1}',
  },
  {
    name: "privilege.created",
    when: "A privilege was added to a pass. Those that a template gives to every new pass come with `pass.created`, and what they are worth with a `privilege.moved` after it.",
    body: '{"passId":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","privilegeId":"coffee","name":"Coffee on the house","type":"MultiUse","value":10,"minimum":0,"maximum":10,"unit":"cup","status":"available","validFrom":null,"validUntil":"2027-01-31T09:30:00.000Z","metadata":{},"createdAt":"2026-01-31T09:30:00.000Z","updatedAt":"2026-01-31T09:30:00.000Z","version":1}',
  },
  {
    name: "privilege.deleted",
    when: "A privilege was deleted; tells it as it was, with its last value. Its ledger stays with the pass.",
    body: '{"passId":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","privilegeId":"coffee","name":"Coffee on the house","type":"MultiUse","value":10,"minimum":0,"maximum":10,"unit":"cup","status":"available","validFrom":null,"validUntil":"2027-01-31T09:30:00.000Z","metadata":{},"createdAt":"2026-01-31T09:30:00.000Z","updatedAt":"2026-01-31T09:30:00.000Z","version":1}',
  },
  {
    name: "privilege.moved",
    when: "A movement was written to the ledger of a privilege. There is exactly one such event for each movement.",
    body: '{"passId":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","movementId":"mv_0VfQm3Ks00x7Rk2LwPq9Zt","privilegeId":"coffee","type":"redemption","value":-1,"valueBefore":10,"valueAfter":9,"sequence":2,"createdAt":"2026-01-31T09:30:00.000Z","reason":null,"reference":"receipt-4711","metadata":{},"occurredAt":"2026-01-31T09:30:00.000Z","reverses":null,"privilege":{"privilegeId":"coffee","name":"Coffee on the house","type":"MultiUse","value":9,"minimum":0,"maximum":10,"unit":"cup","status":"available","validFrom":null,"validUntil":"2027-01-31T09:30:00.000Z","metadata":{},"createdAt":"2026-01-31T09:30:00.000Z","updatedAt":"2026-01-31T09:30:00.000Z","version":2}}',
  },
  {
    name: "privilege.updated",
    when: "The terms of a privilege changed: its name, type, bounds, unit, status, validity or metadata.",
    body: '{"passId":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","privilegeId":"coffee","name":"Coffee on the house","type":"MultiUse","value":10,"minimum":0,"maximum":10,"unit":"cup","status":"available","validFrom":null,"validUntil":"2027-01-31T09:30:00.000Z","metadata":{},"createdAt":"2026-01-31T09:30:00.000Z","updatedAt":"2026-01-31T09:30:00.000Z","version":1}',
  },
  {
    name: "receipt.created",
    when: "A purchase became a receipt. Its lines are read by its id.",
    body: '{"receiptId":"rc_0VfQm3Ks00x7Rk2LwPq9Zt","source":"till","reference":"2026-004711","passId":null,"customerId":null,"store":{"id":"marais","name":"Café Lune Marais","address":"14 rue des Rosiers, 75004 Paris"},"occurredAt":"2026-01-31T09:30:00.000Z","currency":"EUR","lineCount":2,"subtotal":null,"taxes":[{"name":"TVA","rate":10,"amount":0.76},{"name":"TVA","rate":5.5,"amount":0.11}],"total":10.6,"paidBy":"Visa ···· 4242","refunded":0,"pointsEarned":10,"note":null,"locale":null,"version":1,"createdAt":"2026-01-31T09:30:01.000Z","updatedAt":"2026-01-31T09:30:01.000Z"}',
  },
  {
    name: "receipt.deleted",
    when: "A receipt was erased by itself. Those of an erased pass or customer go with it, and without this event.",
    body: '{"receiptId":"rc_0VfQm3Ks00x7Rk2LwPq9Zt"}',
  },
  {
    name: "receipt.updated",
    when: "Something of a purchase was given back.",
    body: '{"receiptId":"rc_0VfQm3Ks00x7Rk2LwPq9Zt","source":"till","reference":"2026-004711","passId":null,"customerId":null,"store":{"id":"marais","name":"Café Lune Marais","address":"14 rue des Rosiers, 75004 Paris"},"occurredAt":"2026-01-31T09:30:00.000Z","currency":"EUR","lineCount":2,"subtotal":null,"taxes":[{"name":"TVA","rate":10,"amount":0.76},{"name":"TVA","rate":5.5,"amount":0.11}],"total":10.6,"paidBy":"Visa ···· 4242","refunded":2.2,"pointsEarned":10,"note":null,"locale":null,"version":2,"createdAt":"2026-01-31T09:30:01.000Z","updatedAt":"2026-01-31T10:00:00.000Z"}',
  },
  {
    name: "scan.recorded",
    when: "A code was scanned, whether or not it belongs to a pass and was accepted.",
    body: '{"scanId":"sc_0VfQm3Ks00x7Rk2LwPq9Zt","matched":true,"decision":"accepted","reason":null,"passId":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","pass":{"id":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","passType":"loyalty","status":"active","identifiers":{"loyalty.number":"40012345"},"displayName":"Camille"},"privileges":[],"data":"ps_0VfQm3Ks00x7Rk2LwPq9Zt","type":"qrcode","deviceId":null,"location":"Gate 4","reference":null,"conflict":false,"offlineDecision":null,"scannedAt":"2026-01-31T09:30:00.000Z","recordedAt":"2026-01-31T09:30:00.000Z"}',
  },
  {
    name: "store.*.created",
    when: "A configuration was published that has a new store.",
    body: '{"id":"marais","name":"Café Lune Marais","address":"14 rue des Rosiers, 75004 Paris","location":{"latitude":48.8571,"longitude":2.3592},"text":"Café Lune Marais is around the corner"}',
  },
  {
    name: "store.*.deleted",
    when: "A configuration was published that lacks a store; tells it as it was.",
    body: '{"id":"marais","name":"Café Lune Marais","address":"14 rue des Rosiers, 75004 Paris","location":{"latitude":48.8571,"longitude":2.3592},"text":"Café Lune Marais is around the corner"}',
  },
  {
    name: "store.*.updated",
    when: "A configuration was published in which a store is not as it was.",
    body: '{"id":"marais","name":"Café Lune Marais","address":"14 rue des Rosiers, 75004 Paris","location":{"latitude":48.8571,"longitude":2.3592},"text":"Café Lune Marais is around the corner"}',
  },
  {
    name: "task.completed",
    when: "A run of a scheduled task has succeeded.",
    body: '{"executionId":"exe_0VfQm3Ks00x7Rk2LwPq9Zt","taskId":"nightly-export","kind":"export","status":"succeeded","trigger":"schedule","scheduledFor":"2026-01-31T03:30:00.000Z","startedAt":"2026-01-31T03:30:00.412Z","finishedAt":"2026-01-31T03:30:02.902Z","createdBy":"billfold","attempts":1,"summary":"4,711 passes were exported.","counts":{"passes":4711},"problem":null,"file":{"name":"nightly-export-2026-01-31.csv","rows":4711,"sizeBytes":612430}}',
  },
  {
    name: "task.failed",
    when: "A run of a scheduled task has failed; its next time is kept all the same.",
    body: '{"executionId":"exe_0VfQm3Ks00x7Rk2LwPq9Zt","taskId":"nightly-export","kind":"export","status":"failed","trigger":"schedule","scheduledFor":"2026-01-31T03:30:00.000Z","startedAt":"2026-01-31T03:30:00.412Z","finishedAt":"2026-01-31T04:30:00.731Z","createdBy":"billfold","attempts":1,"summary":"The run took longer than its limit of 3600 seconds and was ended.","counts":{},"problem":{"code":"execution.time-limit","message":"The run took longer than its limit of 3600 seconds and was ended."},"file":null}',
  },
  {
    name: "tenant.deleted",
    when: "The tenant has ended. Its subscriptions end with it, so this is seldom delivered.",
    body: '{"tenantId":"cafe-lune"}',
  },
  {
    name: "webhook.disabled",
    when: "The service stopped delivering to a webhook: its endpoint said that it is gone, or nothing got through for days. Events are kept and can be recovered.",
    body: '{"id":"k7Qz2","description":"Tells the till about new passes","events":["pass.*","store.*.updated"],"endpoint":"https://hooks.cafe-lune.example/passes","reason":"failing","disabledAt":"2026-01-31T09:30:00.000Z","failingSince":"2026-01-26T09:29:41.250Z"}',
  },
  {
    name: "webhook.test",
    when: "Somebody tries out a webhook. Goes to that webhook alone, whatever events it subscribes to.",
    body: '{"webhookId":"k7Qz2","message":"This is a test. Nothing has happened.","sample":{"event":"configuration.published","data":{"tenantId":"cafe-lune","version":7,"changes":[{"path":"tenant.yml","change":"changed"}],"changeCount":1,"message":null,"author":"ana@cafe-lune.example"}}}',
  },
] as const;

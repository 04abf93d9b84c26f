// Runs in the browser. What is typed in lives in this page alone and is gone when it closes.

// Before the reference loads: its schema library would otherwise probe for `eval`, which the
// content security policy forbids and the browser reports.
globalThis.__zod_globalConfig = { jitless: true };

const SYSTEM_FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif";
const CODE_FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace";
const STYLE = `
  :root { --scalar-font: ${SYSTEM_FONTS}; --scalar-font-code: ${CODE_FONTS}; }
  section:focus-visible { outline: none; }
`;

/** The document as read, with this site as its server: requests never go anywhere else. */
async function readDocument() {
  const answer = await fetch(new URL("openapi.json", document.baseURI));
  if (!answer.ok) throw new Error(`openapi.json: ${answer.status}`);
  const description = await answer.json();
  const here = new URL(".", document.baseURI).href.replace(/\/$/, "");
  leaveOutOptional(description);
  return { ...description, servers: [{ url: here }] };
}

/** A request tried here carries what the person chose, not every parameter that has a first value. */
function leaveOutOptional(description) {
  const operations = Object.values(description.paths).flatMap((item) => Object.values(item));
  const parameters = operations.flatMap((operation) => operation.parameters);
  for (const parameter of [...parameters, ...Object.values(description.components.parameters)]) {
    if (parameter.$ref !== undefined || parameter.required) continue;
    const value = parameter.schema.default ?? "";
    parameter.examples = { default: { value, "x-disabled": true } };
    delete parameter.example;
  }
}

function forTenant(description, tenant) {
  if (tenant === "") return description;
  const changed = structuredClone(description);
  const parameter = changed.components.parameters["path.tenantId"];
  parameter.example = tenant;
  parameter.schema = { ...parameter.schema, examples: [tenant], default: tenant };
  return changed;
}

function configure(content, key) {
  return {
    content,
    theme: "default",
    layout: "modern",
    customCss: STYLE,
    withDefaultFonts: false,
    proxyUrl: "",
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: "never",
    hideClientButton: true,
    persistAuth: false,
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    operationTitleSource: "summary",
    documentDownloadType: "none",
    authentication: {
      preferredSecurityScheme: "apiKey",
      securitySchemes: { apiKey: { value: key } },
    },
  };
}

async function start() {
  const place = document.getElementById("reference");
  const description = await readDocument();
  place.replaceChildren();
  const reference = window.Scalar.createApiReference(place, configure(description, ""));
  place.removeAttribute("aria-busy");
  document.getElementById("try").addEventListener("submit", (event) => {
    event.preventDefault();
    const { tenant, key } = event.target.elements;
    const content = forTenant(description, tenant.value.trim());
    reference.updateConfiguration(configure(content, key.value.trim()));
  });
}

function explain(error) {
  const note = document.createElement("p");
  note.className = "note";
  note.textContent = `The reference cannot be shown: ${error.message}`;
  document.getElementById("reference").replaceChildren(note);
}

document.addEventListener("DOMContentLoaded", () => start().catch(explain));

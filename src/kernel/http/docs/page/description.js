// Prepares the description of the API for this page.

/**
 * Reads the description and sets this site as its server, so that requests never go anywhere else.
 */
export async function readDescription() {
  const answer = await fetch(new URL("openapi.json", document.baseURI));
  if (!answer.ok) throw new Error(`openapi.json: ${answer.status}`);
  const description = await answer.json();
  const here = new URL(".", document.baseURI).href.replace(/\/$/, "");
  leaveOutOptional(description);
  chooseFlow(description, here);
  return { ...description, servers: [{ url: here }] };
}

/**
 * Disables optional parameters at first: a request tried on this page then carries only the
 * parameters that the person chose.
 */
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

/**
 * Keeps only the safer of two sign-in flows. The token address of our own server is changed to the
 * host name that this page was opened under: browsers would block a request to another name of the
 * same computer.
 */
function chooseFlow({ components, servers }, here) {
  const { flows } = components.securitySchemes.oauth2;
  const flow = flows?.authorizationCode;
  if (flow === undefined) return;
  delete flows.implicit;
  const [{ url: base }] = servers;
  if (flow.tokenUrl.startsWith(`${base}/`)) flow.tokenUrl = here + flow.tokenUrl.slice(base.length);
}

export function forTenant(description, tenant) {
  if (tenant === "") return description;
  const changed = structuredClone(description);
  const parameter = changed.components.parameters["path.tenantId"];
  parameter.example = tenant;
  parameter.schema = { ...parameter.schema, examples: [tenant], default: tenant };
  return changed;
}

// The description of the API, as this page shows it.

/** As read, with this site as its server: requests never go anywhere else. */
export async function readDescription() {
  const answer = await fetch(new URL("openapi.json", document.baseURI));
  if (!answer.ok) throw new Error(`openapi.json: ${answer.status}`);
  const description = await answer.json();
  const here = new URL(".", document.baseURI).href.replace(/\/$/, "");
  leaveOutOptional(description);
  chooseFlow(description, here);
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

/**
 * The better flow alone where there are two. Codes of our own server are changed for tokens under
 * the name this page was opened by: browsers would refuse another one of the same computer.
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

import { html } from "#kernel/http/html.ts";
import type { JourneyAction } from "../kit/journey.ts";

const ACTIONS: Readonly<Record<JourneyAction, string>> = {
  createPass: "Give a pass, or bring it up to date",
  updatePass: "Change the pass",
  notifyPass: "Tell the holder something",
};

export type PageFacts = {
  readonly title: string;
  readonly passTypes: readonly string[];
  /** Chosen where the activity is new. */
  readonly passType: string | undefined;
};

/** The page in which the activity is set up, inside Journey Builder. Its script fills it. */
export function activityPage({ title, passTypes, passType }: PageFacts): string {
  const actions = Object.entries(ACTIONS).map(
    ([value, words]) => html`<option value="${value}">${words}</option>`,
  );
  const types = passTypes.map((name) =>
    name === passType
      ? html`<option value="${name}" selected>${name}</option>`
      : html`<option value="${name}">${name}</option>`,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="activity.css">
<script type="module" src="activity.js"></script>
</head>
<body>
<main>
<h1>${title}</h1>
<p id="state" role="status">Waiting for Journey Builder…</p>
<form id="activity" novalidate hidden>
<p><label for="action">What shall happen</label>
<select id="action" name="action">${actions}</select></p>
<p data-for="createPass"><label for="pass-type">Pass type</label>
<select id="pass-type" name="passType">${types}</select></p>
<fieldset>
<legend>Whose pass it is</legend>
<p class="hint" id="identifier-hint">The contact key, unless you know your customers by something else. Names have two parts, such as crm.customerId.</p>
<div class="pair">
<p><label for="identifier-name">Identifier</label>
<input id="identifier-name" name="identifierName" value="sfmc.contactKey" aria-describedby="identifier-hint" autocomplete="off" spellcheck="false" maxlength="100"></p>
<p><label for="identifier-value">Its value</label>
<input id="identifier-value" name="identifierValue" value="{{Contact.Key}}" list="attributes" autocomplete="off" spellcheck="false" maxlength="500"></p>
</div>
</fieldset>
<fieldset data-for="createPass updatePass">
<legend>Values of the pass</legend>
<p class="hint">Each member of the template, with the attribute that fills it.</p>
<div id="rows"></div>
<p><button type="button" id="add">Add a value</button></p>
</fieldset>
<p><label for="text">Message on the lock screen</label>
<textarea id="text" name="text" rows="2" maxlength="500"></textarea></p>
<datalist id="attributes"></datalist>
<p id="problem" role="alert"></p>
<p class="buttons"><button type="submit">Save</button> <button type="button" id="cancel">Cancel</button></p>
</form>
</main>
<template id="row"><div class="pair" role="group" aria-label="Value">
<p><label>Member <input class="member" autocomplete="off" spellcheck="false" maxlength="64"></label></p>
<p><label>Attribute or text <input class="value" list="attributes" autocomplete="off" spellcheck="false" maxlength="500"></label></p>
<p><button type="button" class="remove">Remove</button></p>
</div></template>
</body>
</html>
`.text;
}

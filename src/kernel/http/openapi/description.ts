/** The conventions that all operations follow. */
export const API_DESCRIPTION = `Issue and manage digital wallet passes. Version \`v1\`: there is no version in the address, changes are additions, and a removal is announced six months ahead.

## Authentication

Send an API key as \`X-API-KEY\`. A key works in one tenant and one environment, and only for the scopes it was given. Administrators send a bearer token instead, whose right needs both their role and its scopes: \`tenant.…\` within tenants, \`platform:admin\` for what belongs to none. Without a valid credential the answer is 401; without the right it is 403 and names the scope or the role.

## Bodies and answers

Bodies are JSON in UTF-8 (\`application/json\`, \`text/json\` or \`application/*+json\`). A body in which nothing is required may be left out. Unknown properties and query parameters are refused, not ignored. Answers are \`application/json\`; ask for \`text/json\` or \`text/plain\` with \`Accept\` if you must. Times are ISO 8601 in UTC; those you send may have any offset. Answers over 1 kB are packed with gzip or brotli when \`Accept-Encoding\` allows it, except credentials. Every \`GET\` also answers \`HEAD\`.

## Errors

Errors are problem details (RFC 9457). \`code\` is stable: switch on it. \`errors\` names each wrong field. An address that does not exist is 404 \`route.not-found\`; a method it does not have is 405 \`route.method-not-allowed\` with \`Allow\`. 500 has no body.

## Lists

Lists are plain arrays with the total in \`x-pagination-total\`, exact up to 10,000. Short ones (webhooks, API keys, secrets, tenants) are given whole, up to 1,000 entries, unless a page is asked for. Page with \`pageIndex\` and \`pageSize\`, or follow the \`Link\` header with \`rel="next"\`, which stays fast at any depth. Narrow with \`filter[n].field\`, \`.operator\` and \`.value\`; order with \`sortBy[n].field\` and \`.direction\`.

## Sending again, and changing safely

Every \`POST\` takes an \`Idempotency-Key\`: sent again within 24 hours it gives the first answer and no second effect. Single resources carry an \`ETag\`; send it back as \`If-Match\` and a change made meanwhile is 412 instead of lost. \`If-None-Match: *\` with a change means only if there is nothing yet: a \`PUT\` then creates, and never replaces.

## Limits

\`RateLimit\` and \`RateLimit-Policy\` tell what is left. Beyond it the answer is 429 with \`Retry-After\`.
`;

import * as z from 'zod';

/** Characters that need no escape in a URL, a cookie and a Bearer token (RFC 6750 2.1). */
export function isAccessToken(text: string): boolean {
  return /^[A-Za-z0-9._~-]{16,256}$/.test(text);
}

/** The token of requests; false: none is required. Messages do not repeat the text. */
export const accessToken = z.union([z.literal(false), z.string()]).superRefine((token, context) => {
  if (token === false || isAccessToken(token)) return;
  const message = `expected 16 to 256 letters, digits and "-._~", got ${token.length} characters`;
  context.addIssue({ code: 'custom', message });
});

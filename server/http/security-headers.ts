import type { ServerResponse } from 'node:http';

/**
 * What pages may load and who may frame them. Names, error texts and files of strangers are shown here: should one of
 * them ever become markup, it can fetch nothing from, and tell nothing to, another place. Next writes its own scripts
 * into the page, hence 'unsafe-inline'.
 */
const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  // Pictures that are saved are drawn from an SVG first.
  "img-src 'self' data: blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** For every answer. Next's development server evaluates code, which the policy would forbid. */
export function setSecurityHeaders(
  response: Pick<ServerResponse, 'setHeader'>,
  { dev }: { readonly dev: boolean },
): void {
  response.setHeader('x-content-type-options', 'nosniff');
  // A link out tells nobody which client was looked at.
  response.setHeader('referrer-policy', 'same-origin');
  if (!dev) response.setHeader('content-security-policy', contentSecurityPolicy);
}

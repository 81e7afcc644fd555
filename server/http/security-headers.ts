import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * States what pages may load, and which sites may frame them. Pages show names, error texts and files of peers: if one
 * of them were interpreted as markup, it could run no script and contact no other host. Inline scripts and style
 * elements need the nonce; React writes style attributes into the HTML, which cannot have one.
 */
function buildPolicy(nonce: string): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    "script-src-attr 'none'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    // An image is saved by drawing an SVG first.
    "img-src 'self' data: blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * Applies to every answer. Next takes the nonce for its own scripts from the header of the request, which is always
 * overwritten here. The development server of Next evaluates code, which the policy would forbid.
 */
export function setSecurityHeaders(
  request: Pick<IncomingMessage, 'headers'>,
  response: Pick<ServerResponse, 'setHeader'>,
  { dev }: { readonly dev: boolean },
): void {
  response.setHeader('x-content-type-options', 'nosniff');
  // An external link does not reveal the client that is shown.
  response.setHeader('referrer-policy', 'same-origin');
  // No other site can keep a reference to our window, nor load an answer as an image or a script.
  response.setHeader('cross-origin-opener-policy', 'same-origin');
  response.setHeader('cross-origin-resource-policy', 'same-origin');
  delete request.headers['content-security-policy'];
  delete request.headers['content-security-policy-report-only'];
  if (dev) return;
  const policy = buildPolicy(randomBytes(18).toString('base64'));
  request.headers['content-security-policy'] = policy;
  response.setHeader('content-security-policy', policy);
}

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * What pages may load and who may frame them. Names, error texts and files of strangers are shown here: should one of
 * them ever become markup, it can run nothing, and fetch nothing from or send nothing to another place. Inline scripts and
 * style elements need the nonce; React writes style attributes into the HTML, which cannot have one.
 */
function buildPolicy(nonce: string): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    "script-src-attr 'none'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    // Pictures that are saved are drawn from an SVG first.
    "img-src 'self' data: blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * For every answer. Next takes the nonce for its own scripts from the request's header, which is set here whatever the
 * request came with. Next's development server evaluates code, which the policy would forbid.
 */
export function setSecurityHeaders(
  request: Pick<IncomingMessage, 'headers'>,
  response: Pick<ServerResponse, 'setHeader'>,
  { dev }: { readonly dev: boolean },
): void {
  response.setHeader('x-content-type-options', 'nosniff');
  // A link out does not reveal which client was looked at.
  response.setHeader('referrer-policy', 'same-origin');
  // No other site can hold a window of ours, nor load an answer as an image or a script.
  response.setHeader('cross-origin-opener-policy', 'same-origin');
  response.setHeader('cross-origin-resource-policy', 'same-origin');
  delete request.headers['content-security-policy'];
  delete request.headers['content-security-policy-report-only'];
  if (dev) return;
  const policy = buildPolicy(randomBytes(18).toString('base64'));
  request.headers['content-security-policy'] = policy;
  response.setHeader('content-security-policy', policy);
}

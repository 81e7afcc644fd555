import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { formatProblem, problemHeaders } from './problem-json';
import { parseRequestPath } from './request-path';

/** An answer in place of the page or operation. */
interface TokenAnswer {
  readonly status: 303 | 401;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Request = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

const parameter = 'token';
const cookieSeconds = 30 * 24 * 3600;

/**
 * Lets a request pass (undefined) that has the token as a Bearer token or in the cookie. A page that is opened with
 * `?token=` is redirected to the same URL without it, with the cookie. Everything else is answered 401.
 */
export function findTokenAnswer(request: Request, token: string): TokenAnswer | undefined {
  const path = parseRequestPath(request.url ?? '/');
  const bearer = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (bearer !== undefined) {
    return isEqual(bearer, token) ? undefined : reject(request, path, 'got another Bearer token');
  }
  const name = cookieName(request);
  const hasCookie = cookiesOf(request, name).some((value) => isEqual(value, token));
  const query = request.url?.split('?').slice(1).join('?') ?? '';
  const offered = new URLSearchParams(query).get(parameter);
  if (offered === null || path === undefined || !isPage(path)) {
    return hasCookie ? undefined : reject(request, path, 'got none');
  }
  const isRight = isEqual(offered, token);
  if (!isRight && !hasCookie) return reject(request, path, 'got another token in the URL');
  const rest = query.split('&').filter((part) => !new URLSearchParams(part).has(parameter));
  // A path with two slashes at its start would be another host.
  const location = `${path.replace(/^\/+/, '/')}${rest.length === 0 ? '' : `?${rest.join('&')}`}`;
  // Lax, not Strict: a link in a chat must open the page. Writes and expensive reads are checked by request-gate.ts.
  const cookie = `${name}=${token}; Path=/; Max-Age=${cookieSeconds}; HttpOnly; SameSite=Lax`;
  return {
    status: 303,
    headers: { ...privately, location, ...(isRight ? { 'set-cookie': cookie } : {}) },
    body: '',
  };
}

export function sendTokenAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: TokenAnswer,
): void {
  request.resume();
  response.writeHead(answer.status, answer.headers).end(answer.body);
}

/** Pages and what they are rendered by receive no token, so that none can appear in what they log or show. */
export function removeCredentials({ headers }: Pick<IncomingMessage, 'headers'>): void {
  delete headers.authorization;
  delete headers.cookie;
}

const privately = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

function reject(request: Request, path: string | undefined, got: string): TokenAnswer {
  const headers = { ...privately, 'www-authenticate': 'Bearer realm="xdscope"' };
  if (path !== undefined && isPage(path) && /\btext\/html\b/.test(request.headers.accept ?? '')) {
    const body = buildTokenPage(new URLSearchParams(request.url?.split('?').slice(1).join('?')), got);
    return { status: 401, headers: { ...headers, 'content-type': 'text/html; charset=utf-8' }, body };
  }
  const detail = `expected the token of this xdscope, which its start prints with the URL (Authorization: Bearer TOKEN), ${got}`;
  const body = formatProblem({ status: 401, title: 'Token required', detail });
  return { status: 401, headers: { ...headers, ...problemHeaders }, body };
}

function isPage(path: string): boolean {
  const [first] = path.split('/').filter((segment) => segment !== '');
  return first !== 'api' && first !== 'metrics';
}

/**
 * A browser sends the cookies of a host to all of its ports, so the name has the port. It is that of the URL: servers
 * behind several tunnels can listen on the same port.
 */
function cookieName({ headers }: Request): string {
  return `xdscope-token-${/:(\d+)$/.exec(headers.host ?? '')?.[1] ?? '80'}`;
}

function cookiesOf({ headers }: Request, name: string): string[] {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []));
}

/** Takes the same time for all texts of one length. */
function isEqual(offered: string, token: string): boolean {
  const [left, right] = [offered, token].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}

/** The form opens the same URL with the token in it. */
function buildTokenPage(query: URLSearchParams, got: string): string {
  query.delete(parameter);
  const kept = [...query].map(
    ([name, value]) => `<input type="hidden" name="${escapeText(name)}" value="${escapeText(value)}">`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Token required - xdscope</title>
</head>
<body style="font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem">
<h1 style="font-size: 1.5rem">Token required</h1>
<p>This page expected the token of this xdscope, ${got}.</p>
<p>At its start, xdscope prints its URL with the token. Open that URL, or enter the token:</p>
<form>
${kept.join('')}<label>Token <input name="${parameter}" type="password" autocomplete="off" required autofocus></label>
<button>Open</button>
</form>
<p>A token that was not set by <code>XDSCOPE_TOKEN</code> is in the file <code>access-token</code> of the data directory.</p>
</body>
</html>
`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

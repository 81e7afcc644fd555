import { parseTarget, type Target } from '../../transport/targets/target';

export interface WebhookUrl {
  readonly target: Target;
  readonly path: string;
  readonly isTls: boolean;
}

type ParsedWebhookUrl =
  | { readonly ok: true; readonly url: WebhookUrl }
  | { readonly ok: false; readonly message: string };

/** Parses an http or https URL. User names and passwords are rejected, since they would be listed with the process. */
export function parseWebhookUrl(text: string): ParsedWebhookUrl {
  const reject = (got: string): ParsedWebhookUrl => ({
    ok: false,
    message: `expected a URL as in http://127.0.0.1:9095/hook, got ${got}`,
  });
  if (!URL.canParse(text)) return reject(JSON.stringify(text.slice(0, 100)));
  const { protocol, username, password, hostname, port, pathname, search } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return reject(`the scheme ${protocol}`);
  if (username !== '' || password !== '') return reject('a URL with a user name');
  const isTls = protocol === 'https:';
  const parsed = parseTarget(`${hostname}:${port || (isTls ? '443' : '80')}`);
  if (!parsed.ok) return reject(parsed.problem.message);
  // The operator names it, so that --allow-target does not limit it; rejected ranges still apply.
  return {
    ok: true,
    url: { target: { ...parsed.target, isNamed: true }, path: `${pathname}${search}`, isTls },
  };
}

import { type ExplainRequest, valuesSent } from '../requests/request';

/** They state what becomes of the connection, and name no header. */
const options: ReadonlySet<string> = new Set(['close', 'keep-alive', 'upgrade', 'http2-settings']);
const mostNames = 10;
const mostTeBytes = 256;

type Named =
  | { readonly kind: 'rejected'; readonly text: string }
  /** In lower case. */
  | { readonly kind: 'removed'; readonly names: ReadonlySet<string> };

/**
 * The headers that `connection` names as those of one connection, which the HTTP/1.1 codec of Envoy removes, but for an upgrade.
 * Measured with 1.40.0.
 */
export function findNamedByConnection(request: ExplainRequest): Named {
  const names = namesOf(valuesSent(request, 'connection'));
  const reject = (what: string): Named => ({
    kind: 'rejected',
    text: `the header connection names ${what}, and is rejected with 400`,
  });
  if (upgradeOf(request) !== undefined) return { kind: 'removed', names: new Set() };
  if (names.length >= mostNames) return reject(`${mostNames} headers or more`);
  const forbidden = names.find((name) => /^(:.*|host|x-forwarded-(for|host|proto))$/s.test(name));
  if (forbidden !== undefined) return reject(forbidden);
  const te = valuesSent(request, 'te').join(',');
  if (names.includes('te') && te.length > mostTeBytes) return reject('a header te of more than 256 bytes');
  return { kind: 'removed', names: new Set(names.filter((name) => !options.has(name) && name !== 'te')) };
}

/** The value of the header, else CONNECT. An upgrade to HTTP/2 (h2c) is ignored. */
export function upgradeOf(request: ExplainRequest): string | undefined {
  const type = valuesSent(request, 'upgrade').join(',');
  const isUpgrade = namesOf(valuesSent(request, 'connection')).includes('upgrade');
  if (isUpgrade && type !== '' && type.toLowerCase() !== 'h2c') return type;
  return request.method === 'CONNECT' ? request.method : undefined;
}

function namesOf(values: readonly string[]): string[] {
  return values.flatMap((value) =>
    value
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ''),
  );
}

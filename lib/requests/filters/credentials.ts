import type { FieldReader } from '../../model/field-reader';
import { cookiesOf, queryOf } from '../request';
import { matchString } from '../string-match';
import { type FilterDecision, type FilterRequest, firstValue, passes } from './filter-decision';
import { describeShare, readRuntimeShare } from './runtime-fraction';

const unauthorized = { status: 401 };

/** envoy.extensions.filters.http.basic_auth.v3. User names and passwords are secret, so that they are not compared. */
export function decideBasicAuth({ config, find }: FilterRequest): FilterDecision {
  const header = config.string('authenticationHeader') || 'authorization';
  const value = firstValue(find, header);
  if (value === undefined && config.boolean('allowMissing'))
    return passes('credentials may be missing (allow_missing)');
  if (value === undefined)
    return { kind: 'answers', reason: `the request has no header ${header}`, answer: unauthorized };
  if (!/^basic /i.test(value))
    return { kind: 'answers', reason: `header ${header} does not begin with "Basic "`, answer: unauthorized };
  return { kind: 'depends', reason: 'it depends on the user name and password', answer: unauthorized };
}

/** envoy.extensions.filters.http.api_key_auth.v3. Keys are secret, so that they are not compared. */
export function decideApiKeyAuth({ config, overrides, find, request }: FilterRequest): FilterDecision {
  const own = overrides[0]?.objects('keySources') ?? [];
  const sources = own.length > 0 ? own : config.objects('keySources');
  const query = queryOf({ path: firstValue(find, ':path') ?? request.path });
  const isPresent = (source: FieldReader): boolean => {
    const [header, parameter, cookie] = [
      source.string('header'),
      source.string('query'),
      source.string('cookie'),
    ];
    if (header !== '') return (firstValue(find, header) ?? '') !== '';
    if (parameter !== '') return (query.get(parameter) ?? '') !== '';
    return (cookiesOf(find).get(cookie) ?? '') !== '';
  };
  return sources.some(isPresent)
    ? { kind: 'depends', reason: 'it depends on the key of the request', answer: unauthorized }
    : { kind: 'answers', reason: 'the request has no key', answer: unauthorized };
}

const modifying = new Set(['POST', 'PUT', 'DELETE', 'PATCH']);

/** An envoy.extensions.filters.http.csrf.v3.CsrfPolicy, of the route or of the filter. */
export function decideCsrf({ config, overrides, find }: FilterRequest): FilterDecision {
  const policy = overrides[0] ?? config;
  const share = readRuntimeShare(policy.object('filterEnabled'), 100);
  if (share.percent === 0 && share.runtimeKey === '') return passes('it is not enforced (filter_enabled)');
  const method = firstValue(find, ':method') ?? '';
  if (!modifying.has(method)) return passes(`method ${method} modifies nothing`);
  const source =
    hostAndPort(firstValue(find, 'origin') ?? '') || hostAndPort(firstValue(find, 'referer') ?? '');
  const target = firstValue(find, ':authority') ?? '';
  const isValid =
    source !== '' &&
    (source === target ||
      policy.objects('additionalOrigins').some((each) => {
        const result = matchString(each, source);
        return result.kind === 'known' && result.holds;
      }));
  if (isValid) return passes(`origin ${JSON.stringify(source)} is allowed`);
  const reason =
    source === ''
      ? 'the request has neither an origin nor a referer'
      : `origin ${JSON.stringify(source)} is neither ${JSON.stringify(target)} nor an additional origin`;
  const answer = { status: 403 };
  if (share.percent === 100 && share.runtimeKey === '') return { kind: 'answers', reason, answer };
  return {
    ...{ kind: 'depends', reason: `${reason}; it denies ${describeShare(share)}`, answer },
    ...(share.runtimeKey === '' && { percent: share.percent }),
  };
}

/** The host and port of a URL; another text is returned as it is. */
function hostAndPort(text: string): string {
  return /^https?:\/\/([^/?#]+)/i.exec(text)?.[1] ?? text;
}

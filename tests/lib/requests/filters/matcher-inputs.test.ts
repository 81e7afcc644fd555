import { expect, it } from 'vitest';
import { decideRbac } from '@/lib/requests/filters/rbac';
import { noMetadata, withMetadata } from '@/lib/requests/metadata';
import { xxh64 } from '@/lib/xds/xxh64';
import { type FilterCase, resultOf } from './filter-requests';

const extension = (type: string, fields: object = {}) => ({
  name: 'x',
  typedConfig: { '@type': `type.googleapis.com/envoy.${type}`, ...fields },
});
const input = (type: string, fields?: object) =>
  extension(`extensions.matching.common_inputs.${type}`, fields);
const custom = (type: string, fields: object) => ({
  customMatch: extension(`extensions.matching.input_matchers.${type}`, fields),
});
const color = extension('type.matcher.v3.HttpRequestHeaderMatchInput', { headerName: 'x-color' });
const metadata = input('network.v3.DynamicMetadataInput', { filter: 'n', path: [{ key: 'k' }] });
const value = (exact: string, more: object = {}) =>
  custom('metadata.v3.Metadata', { value: { stringMatch: { exact } }, ...more });
const any = { valueMatch: { safeRegex: { regex: '.*' } } };
const hashing = (threshold: number, modulo: number, seed?: string) =>
  custom('consistent_hashing.v3.ConsistentHashing', { threshold, modulo, ...(seed && { seed }) });
const share = (numerator: number, more: object = {}) =>
  custom('runtime_fraction.v3.RuntimeFraction', {
    runtimeFraction: { defaultValue: { numerator, denominator: 'MILLION' }, ...more },
  });

const blue: FilterCase = { headers: ['x-color: blue'] };
const set = (k: unknown): FilterCase => ({ metadata: withMetadata(noMetadata, 'n', { k }) });
const tls: FilterCase = { connection: { isTls: true } };
const million = Number(xxh64('blue') % 1_000_000n);
const most = 2n ** 64n - 1n;
const ofMost = Number(xxh64('blue', most) % 1_000n);
const [denied, passes, depends] = ['403', 'passes', 'depends 403'];

/** Compared with Envoy 1.40.0 by the chapter `requests` of `npm run test:peers`. */
it.each<[string, object, object, FilterCase, string]>([
  ['metadata that a filter has set', metadata, value('blue'), set('blue'), denied],
  ['metadata with another value', metadata, value('blue'), set('red'), passes],
  ['metadata that is inverted', metadata, value('blue', { invert: true }), set('red'), denied],
  ['absent metadata', metadata, value('blue'), { metadata: noMetadata }, passes],
  ['absent metadata, inverted', metadata, value('blue', { invert: true }), { metadata: noMetadata }, denied],
  ['metadata that is not known', metadata, value('blue'), {}, depends],
  ['metadata, which is no text', metadata, any, set('blue'), passes],
  ['a text, which is no metadata', color, value('blue'), blue, passes],
  ['a hash at the threshold', color, hashing(million, 1_000_000), blue, denied],
  ['a hash below the threshold', color, hashing(million + 1, 1_000_000), blue, passes],
  ['a hash with a seed above 2^53', color, hashing(ofMost, 1_000, `${most}`), blue, denied],
  ['a hash below the threshold with that seed', color, hashing(ofMost + 1, 1_000, `${most}`), blue, passes],
  ['no hash of an absent header', color, hashing(0, 1), {}, passes],
  ['a modulo of 0', color, hashing(0, 0), blue, passes],
  ['a hash within the share', color, share(million + 1), blue, denied],
  ['a hash outside of the share', color, share(million), blue, passes],
  ['a share that the runtime can set', color, share(0, { runtimeKey: 'k' }), blue, depends],
  ['no certificate without TLS', input('ssl.v3.UriSanInput'), any, {}, denied],
  ['a certificate that is not known', input('ssl.v3.DnsSanInput'), any, tls, depends],
  ['a source port', input('network.v3.SourcePortInput'), any, { connection: { sourcePort: 9 } }, denied],
  ['filter state', input('network.v3.FilterStateInput', { key: 'k' }), any, {}, depends],
  ['the environment', input('environment_variable.v3.Config', { name: 'HOME' }), any, {}, depends],
])('a matcher reads %s', (_, ofInput, matcher, of, expected) => {
  expect(evaluate({ singlePredicate: { input: ofInput, ...matcher } }, 'DENY', of)).toBe(expected);
});

function evaluate(predicate: object, verb: 'ALLOW' | 'DENY', of: FilterCase): string {
  const act = (action: string) => ({
    action: { name: 'a', typedConfig: { '@type': 'envoy.config.rbac.v3.Action', name: 'a', action } },
  });
  const config = {
    matcher: { matcherList: { matchers: [{ predicate, onMatch: act(verb) }] }, onNoMatch: act('ALLOW') },
  };
  return resultOf(decideRbac, { ...of, config });
}

const certificate = { singlePredicate: { input: input('ssl.v3.UriSanInput'), ...any } };
const isBlue = { singlePredicate: { input: color, valueMatch: { exact: 'blue' } } };
const isRed = { singlePredicate: { input: color, valueMatch: { exact: 'red' } } };
const unknown = { singlePredicate: { input: metadata, ...value('blue') } };
const or = (...predicate: object[]) => ({ orMatcher: { predicate } });
const and = (...predicate: object[]) => ({ andMatcher: { predicate } });

/** Measured with Envoy 1.40.0: what is not decided has no action, not even that of on_no_match. */
it.each<[string, object, string]>([
  ['itself', certificate, denied],
  ['not', { notMatcher: certificate }, denied],
  ['or, before what is true', or(certificate, isBlue), passes],
  ['or, behind what is true', or(isBlue, certificate), passes],
  ['or, before what is false', or(certificate, isRed), denied],
  ['or, beside what is not known', or(certificate, unknown), depends],
  ['and, before what is false', and(certificate, isRed), denied],
  ['and, behind what is false', and(isRed, certificate), passes],
  ['and, before what is true', and(certificate, isBlue), denied],
  ['and, behind what is not known', and(unknown, certificate), depends],
])('a predicate on the certificate of a connection without TLS: %s', (_, predicate, expected) => {
  expect(evaluate(predicate, 'ALLOW', blue)).toBe(expected);
});

import { expect, test } from 'vitest';
import { containsMatch } from '@/lib/explain/reach/containment';
import { FieldReader } from '@/lib/model/field-reader';
import { newestOf } from '@/lib/xds/profile';

const get = { name: ':method', stringMatch: { exact: 'GET' } };
const present = { name: 'x-a', presentMatch: true };
const blue = { name: 'x-a', stringMatch: { exact: 'blue' } };
const template = (pathTemplate: string) => ({
  pathMatchPolicy: {
    typedConfig: {
      '@type': 'type.googleapis.com/envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig',
      pathTemplate,
    },
  },
});

/** As measured with Envoy 1.40.0 in shared/reports/09, and the nearest cases that are no containment. */
test.each<[isContained: boolean, earlier: object, later: object]>([
  [true, { prefix: '/api/store' }, { prefix: '/api/store/admin' }],
  [false, { prefix: '/api/store/admin' }, { prefix: '/api/store' }],
  [true, { pathSeparatedPrefix: '/cart' }, { path: '/cart' }],
  [true, { pathSeparatedPrefix: '/cart' }, { prefix: '/cart/' }],
  [false, { pathSeparatedPrefix: '/cart' }, { prefix: '/cart' }],
  [false, { pathSeparatedPrefix: '/cart' }, { path: '/cartoon' }],
  [true, { safeRegex: { regex: '/img/.*' } }, { prefix: '/img/logo' }],
  [false, { safeRegex: { regex: '/img/.+' } }, { prefix: '/img/' }],
  [false, { safeRegex: { regex: '/i.g/.*' } }, { prefix: '/img/logo' }],
  [true, { safeRegex: { regex: '/i.g/[a-z]+' } }, { path: '/img/logo' }],
  [false, { safeRegex: { regex: '/i.g/[a-z]+' } }, { path: '/img/12' }],
  [true, { prefix: '/img/' }, { safeRegex: { regex: '/img/[a-z]+' } }],
  [false, { prefix: '/img/' }, { safeRegex: { regex: '/img/[a-z]+|/css' } }],
  [true, template('/shop/*'), { path: '/shop/cart' }],
  [true, template('/shop/*'), template('/shop/*')],
  [true, template('/shop/**'), template('/shop/{x=*}/a')],
  [false, template('/shop/*'), template('/shop/{x=**}')],
  [true, { prefix: '/shop/' }, template('/shop/{x=*}')],
  [true, { prefix: '/Case', caseSensitive: false }, { prefix: '/case/x' }],
  [false, { prefix: '/Case' }, { prefix: '/Case/x', caseSensitive: false }],
  [false, { path: '/case' }, { path: '/case', caseSensitive: false }],
  [true, { prefix: '/', headers: [get] }, { prefix: '/', headers: [get, present] }],
  [true, { prefix: '/', headers: [get] }, { prefix: '/pay', headers: [get] }],
  [false, { prefix: '/', headers: [get] }, { prefix: '/pay' }],
  [true, { prefix: '/', headers: [present] }, { prefix: '/', headers: [blue] }],
  [false, { prefix: '/', headers: [blue] }, { prefix: '/', headers: [present] }],
  [
    true,
    { prefix: '/', headers: [{ name: 'X-A', stringMatch: { safeRegex: { regex: 'b.*' } } }] },
    { prefix: '/', headers: [blue] },
  ],
  [
    false,
    { prefix: '/', headers: [{ ...blue, invertMatch: true }] },
    { prefix: '/', headers: [{ name: 'x-a', stringMatch: { exact: 'red' } }] },
  ],
  [true, { prefix: '/' }, { path: '/exact-late' }],
  [true, { prefix: '' }, { safeRegex: { regex: '.*' } }],
  [false, { prefix: '/' }, { connectMatcher: {} }],
  [true, { path: '/a' }, { path: '/a' }],
  [false, { path: '/a' }, { prefix: '/a' }],
  [false, { prefix: '/', grpc: {} }, { prefix: '/a' }],
  [false, { prefix: '/', queryParameters: [{ name: 'q' }] }, { prefix: '/a' }],
  [false, { prefix: '/', runtimeFraction: { defaultValue: { numerator: 10 } } }, { prefix: '/a' }],
  [true, { prefix: '/', runtimeFraction: { defaultValue: { numerator: 100 } } }, { prefix: '/a' }],
  [false, { prefix: '/', dynamicMetadata: [{}] }, { prefix: '/a', dynamicMetadata: [{}] }],
])('%s: every request of the later route matches %j: %j', (isContained, earlier, later) => {
  const read = (match: object) => FieldReader.open(match, []);
  expect(containsMatch(read(earlier), read(later), newestOf('envoy'))).toBe(isContained);
});

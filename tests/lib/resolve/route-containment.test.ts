import { expect, test } from 'vitest';
import { FieldReader } from '@/lib/model/field-reader';
import { readRoute } from '@/lib/model/route';
import { containsRoute } from '@/lib/resolve/route-containment';

const route = (match: object) => readRoute(FieldReader.open({ match, directResponse: { status: 200 } }, []));
const get = { name: ':method', stringMatch: { exact: 'GET' } };
const present = { name: 'x-a', presentMatch: true };

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
  [true, { prefix: '/Case', caseSensitive: false }, { prefix: '/case/x' }],
  [false, { prefix: '/Case' }, { prefix: '/Case/x', caseSensitive: false }],
  [true, { prefix: '/', headers: [get] }, { prefix: '/', headers: [get, present] }],
  [true, { prefix: '/', headers: [get] }, { prefix: '/pay', headers: [get] }],
  [false, { prefix: '/', headers: [get] }, { prefix: '/pay' }],
  [true, { prefix: '/' }, { path: '/exact-late' }],
  [true, { prefix: '' }, { safeRegex: { regex: '.*' } }],
  [false, { prefix: '/' }, { connectMatcher: {} }],
  [true, { path: '/a' }, { path: '/a' }],
  [false, { path: '/a' }, { prefix: '/a' }],
  [false, { prefix: '/', runtimeFraction: { defaultValue: { numerator: 10 } } }, { prefix: '/a' }],
  [false, { prefix: '/', dynamicMetadata: [{}] }, { prefix: '/a', dynamicMetadata: [{}] }],
])('%s: every request of the later route matches %j: %j', (isContained, earlier, later) => {
  expect(containsRoute(route(earlier), route(later))).toBe(isContained);
});

import { describe, expect, it } from 'vitest';
import { decideHeaderToMetadata, decideSetMetadata } from '@/lib/requests/filters/metadata-changes';
import { type DynamicMetadata, noMetadata } from '@/lib/requests/metadata';
import { type FilterCase, filterRequest } from './filter-requests';

function changesOf(decide: typeof decideSetMetadata, of: FilterCase, metadata: DynamicMetadata = noMetadata) {
  const decision = decide({ ...filterRequest(of), metadata });
  if (decision.kind !== 'passes') throw new Error(`expected a filter that passes, got ${decision.kind}`);
  return { header: decision.find?.('x').kind, ...decision.metadata };
}

const old = { headers: ['x: old'] };
const two = { headers: ['x: old', 'x: new', 'cookie: c=d'] };

describe('header_to_metadata', () => {
  const rules = (...requestRules: readonly object[]) => ({ requestRules });
  const rule = (more: object = {}, of: object = {}) =>
    rules({ header: 'x', onHeaderPresent: { metadataNamespace: 'n', key: 'k', ...more }, ...of });
  const missing = { metadataNamespace: 'n', key: 'k', value: 'none' };

  it.each<readonly [sentence: string, of: FilterCase, known: object]>([
    ["if value is empty, the header's value is used", { config: rule(), ...old }, { n: { k: 'old' } }],
    ['several values are joined', { config: rule(), ...two }, { n: { k: 'old,new' } }],
    [
      'a value takes the place of that of the header',
      { config: rule({ value: 'v' }), ...old },
      { n: { k: 'v' } },
    ],
    [
      'if the namespace is empty, that of the filter is used',
      { config: rule({ metadataNamespace: '' }), ...old },
      { 'envoy.filters.http.header_to_metadata': { k: 'old' } },
    ],
    ['a header that is absent is not copied', { config: rule() }, {}],
    ['an empty value is not added', { config: rule(), headers: ['x:'] }, {}],
    [
      'on_header_missing: if the header is absent',
      { config: rule({}, { onHeaderMissing: missing }) },
      { n: { k: 'none' } },
    ],
    ['NUMBER: a number', { config: rule({ type: 'NUMBER' }), headers: ['x: 1.5'] }, { n: { k: 1.5 } }],
    ['NUMBER: no number', { config: rule({ type: 'NUMBER' }), ...old }, {}],
    [
      'a cookie',
      { config: rules({ cookie: 'c', onHeaderPresent: { metadataNamespace: 'n', key: 'k' } }), ...two },
      { n: { k: 'd' } },
    ],
    [
      'keys of a namespace are kept beside each other',
      {
        config: rules(
          { header: 'x', onHeaderPresent: { metadataNamespace: 'n', key: 'a' } },
          { header: 'x', onHeaderPresent: { metadataNamespace: 'n', key: 'b' } },
        ),
        ...old,
      },
      { n: { a: 'old', b: 'old' } },
    ],
  ])('%s', (_, of, known) => {
    expect(changesOf(decideHeaderToMetadata, of)).toMatchObject({ known, doubts: [] });
  });

  it.each([
    ['the header stays', { config: rule(), ...old }, 'value'],
    [
      'remove: the header is removed after the rule',
      { config: rule({}, { remove: true }), ...old },
      'absent',
    ],
    [
      'the config of the route replaces that of the filter',
      { config: rule({}, { remove: true }), overrides: [rule()], ...old },
      'value',
    ],
  ])('%s', (_, of, header) => {
    expect(changesOf(decideHeaderToMetadata, of).header).toBe(header);
  });

  it.each([
    ['a value that a regular expression rewrites', rule({ regexValueRewrite: {} })],
    ['a value that is encoded', rule({ encode: 'BASE64' })],
    ['a message', rule({ type: 'PROTOBUF_VALUE' })],
  ])('does not know %s', (_, config) => {
    expect(changesOf(decideHeaderToMetadata, { config, ...old }).doubts).toMatchObject([{ namespace: 'n' }]);
  });

  it('states what it copies, and that the route stays', () => {
    expect(decideHeaderToMetadata(filterRequest({ config: rule(), ...old })).reason).toBe(
      'it copies to metadata: x; the route was chosen before, and is not chosen again',
    );
  });
});

describe('set_metadata', () => {
  const set = (value: object, more: object = {}) => ({
    config: { metadata: [{ metadataNamespace: 'n', value, ...more }] },
  });
  const before = { known: { n: { a: [1], b: { c: 1 }, d: 1 } }, doubts: [] };

  it.each<readonly [sentence: string, of: FilterCase, known: object]>([
    ['metadata that is there is kept', set({ a: 2 }), before.known],
    [
      'allow_overwrite: scalars are replaced, lists concatenated, structs merged',
      set({ a: [2], b: { e: 2 }, d: 2 }, { allowOverwrite: true }),
      { n: { a: [1, 2], b: { c: 1, e: 2 }, d: 2 } },
    ],
    [
      'the deprecated value is merged',
      { config: { metadataNamespace: 'n', value: { d: 3 } } },
      { n: { a: [1], b: { c: 1 }, d: 3 } },
    ],
    [
      'another namespace is added',
      { config: { metadata: [{ metadataNamespace: 'm', value: { k: true } }] } },
      { ...before.known, m: { k: true } },
    ],
  ])('%s', (_, of, known) => {
    expect(changesOf(decideSetMetadata, of, before).known).toEqual(known);
  });
});

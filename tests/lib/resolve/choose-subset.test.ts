import { expect, it } from 'vitest';
import { FieldReader } from '@/lib/model/field-reader';
import { type LbMetadata, readSubsetConfig } from '@/lib/model/subset';
import { chooseSubset } from '@/lib/resolve/choose-subset';

const hosts: Readonly<Record<string, LbMetadata>> = {
  one: { v: '1', stage: 'prod' },
  two: { v: '1', stage: 'dev' },
  three: { v: '2', stage: 'prod', zones: ['a', 'b'] },
  plain: {},
};
const byVersion = { subsetSelectors: [{ keys: ['v'] }] };
const any = { fallbackPolicy: 'ANY_ENDPOINT' };
const all = 'one two three plain';

/** Each row was compared with Envoy 1.40.0 by the chapter endpoint-choice of tests/peers. */
it.each<[string, object, LbMetadata | undefined, string]>([
  ['the subset of the values', byVersion, { v: '1' }, 'one two'],
  ['no subset has the value', byVersion, { v: '9' }, ''],
  ['the fallback policy ANY_ENDPOINT', { ...byVersion, ...any }, { v: '9' }, all],
  [
    'the fallback policy DEFAULT_SUBSET',
    { ...byVersion, fallbackPolicy: 'DEFAULT_SUBSET', defaultSubset: { stage: 'prod' } },
    { v: '9' },
    'one three',
  ],
  [
    'a default subset without keys is every host',
    { ...byVersion, fallbackPolicy: 'DEFAULT_SUBSET' },
    { v: '9' },
    all,
  ],
  ['a route without metadata_match', byVersion, undefined, ''],
  ['metadata without keys', { ...byVersion, ...any }, {}, all],
  ['a further key', byVersion, { v: '1', stage: 'prod' }, ''],
  ['a key less', { subsetSelectors: [{ keys: ['v', 'stage'] }] }, { v: '1' }, ''],
  ['two keys', { subsetSelectors: [{ keys: ['stage', 'v'] }] }, { v: '1', stage: 'dev' }, 'two'],
  ['a number is not a text', byVersion, { v: 1 }, ''],
  ['a list is one value', { subsetSelectors: [{ keys: ['zones'] }] }, { zones: ['a', 'b'] }, 'three'],
  ['an item is not the list', { subsetSelectors: [{ keys: ['zones'] }] }, { zones: 'a' }, ''],
  ['list_as_any', { listAsAny: true, subsetSelectors: [{ keys: ['zones'] }] }, { zones: 'a' }, 'three'],
  ['the fallback of a selector', { subsetSelectors: [{ keys: ['v'], ...any }] }, { v: '9' }, all],
  [
    'NO_FALLBACK of a selector',
    { ...any, subsetSelectors: [{ keys: ['v'], fallbackPolicy: 'NO_FALLBACK' }] },
    { v: '9' },
    '',
  ],
  [
    'the fallback of a selector behind one whose keys begin with its own',
    { subsetSelectors: [{ keys: ['stage', 'v'] }, { keys: ['stage'], ...any }] },
    { stage: 'qa' },
    '',
  ],
  [
    'the fallback of a selector behind one whose keys end with its own',
    { subsetSelectors: [{ keys: ['stage', 'v'] }, { keys: ['v'], ...any }] },
    { v: '9' },
    all,
  ],
  [
    'KEYS_SUBSET',
    {
      subsetSelectors: [
        { keys: ['v', 'stage'], fallbackPolicy: 'KEYS_SUBSET', fallbackKeysSubset: ['v'] },
        { keys: ['v'] },
      ],
    },
    { v: '1', stage: 'qa' },
    'one two',
  ],
  [
    'KEYS_SUBSET with the same keys, which Envoy rejects',
    { subsetSelectors: [{ keys: ['v'], fallbackPolicy: 'KEYS_SUBSET', fallbackKeysSubset: ['v'] }] },
    { v: '9' },
    '',
  ],
])('a subset is chosen: %s', (_, fields, criteria, expected) => {
  const config = readSubsetConfig(FieldReader.open(fields, []));
  if (config === null) throw new Error('expected subsets');
  const { has } = chooseSubset(config, criteria, Object.values(hosts));
  const chosen = Object.entries(hosts).filter(([, metadata]) => has?.(metadata));
  expect(chosen.map(([name]) => name).join(' ')).toBe(expected);
});

it('there are no subsets without selectors', () => {
  expect(readSubsetConfig(FieldReader.open({ fallbackPolicy: 'ANY_ENDPOINT' }, []))).toBeNull();
});

import { describe, expect, it } from 'vitest';
import { interopCases } from '@/lib/interop/cases/interop-cases';
import type { BuildResources, CaseMesh, InteropCase } from '@/lib/interop/interop-case';
import { encodeBody } from '@/server/codec/encode-body';

function meshOf({ backends }: InteropCase): CaseMesh {
  return {
    group: (name) =>
      Array.from({ length: backends[name] ?? 0 }, (_, index) => {
        return { name: `${name}${index + 1}`, port: 10_000 + index, isHealthy: true };
      }),
    nodeMetadata: { a: '1', b: '2' },
    rateOf: () => 0,
  };
}

function buildersOf({ resources, setup = [], steps }: InteropCase): readonly BuildResources[] {
  const served = [{ actions: setup }, ...steps].flatMap(({ actions = [] }) =>
    actions.flatMap((action) => (action.kind === 'serve' ? [action.resources] : [])),
  );
  return resources === undefined ? served : [resources, ...served];
}

it('there are the 20 cases of the test description, and names are unique', () => {
  expect(interopCases.filter(({ origin }) => origin === 'description')).toHaveLength(20);
  expect(new Set(interopCases.map(({ name }) => name)).size).toBe(interopCases.length);
});

describe.each(interopCases.map((each) => [each.name, each] as const))('%s', (_, testCase) => {
  it('serves resources that xdscope encodes', () => {
    const builders = buildersOf(testCase);
    expect(builders).not.toEqual([]);
    for (const build of builders) {
      for (const { typeUrl, json } of build(meshOf(testCase)))
        expect(encodeBody(typeUrl, json).byteLength).toBeGreaterThan(0);
    }
  });

  it('names only backends that it has', () => {
    const known = Object.entries(testCase.backends).flatMap(([group, count]) =>
      Array.from({ length: count }, (_each, index) => `${group}${index + 1}`),
    );
    const named = testCase.steps.flatMap(({ actions = [], expect: expectation }) => [
      ...actions.flatMap((action) =>
        'backends' in action && action.backends !== 'used' ? action.backends : [],
      ),
      ...(expectation.kind === 'only' ? expectation.backends : []),
      ...(expectation.kind === 'shares' ? Object.keys(expectation.counts) : []),
    ]);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });
});

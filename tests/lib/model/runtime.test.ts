import { expect, it } from 'vitest';
import { FieldReader } from '@/lib/model/field-reader';
import { readRuntime, withRuntime } from '@/lib/model/runtime';

const read = (...layers: object[]) => readRuntime(FieldReader.open({ layers }, []));
const fixed = (staticLayer: object) => ({ name: 'static', staticLayer });

it('reads static layers, of which later ones replace values of earlier ones', () => {
  expect(read(fixed({ a: { b: 1, c: { numerator: 5 } }, 'd.e': true }), fixed({ 'a.b': 2 }))).toEqual({
    ...{ 'a.b': 2, 'a.c': { numerator: 5 } },
    'd.e': true,
  });
});

it('does not know what an operator, a file or RTDS can set', () => {
  for (const layer of [{ adminLayer: {} }, { diskLayer: {} }, { rtdsLayer: {} }])
    expect(read(fixed({ a: 1 }), layer)).toBeUndefined();
  expect(read()).toBeUndefined();
});

it('gives fractions their values, and leaves everything else as it is', () => {
  const fraction = (runtimeKey?: string) => ({
    defaultValue: { numerator: 100 },
    ...(runtimeKey && { runtimeKey }),
  });
  const runtime = { off: 0, part: { numerator: 5, denominator: 'MILLION' } };
  const applied = withRuntime([fraction('off'), fraction('part'), fraction('other')], runtime);
  expect(applied).toEqual([
    { defaultValue: { numerator: 0 } },
    { defaultValue: { numerator: 5, denominator: 'MILLION' } },
    { defaultValue: { numerator: 100 } },
  ]);
  const same = { a: [fraction()], b: null, runtimeKey: 'off' };
  expect(withRuntime(same, runtime)).toBe(same);
  expect(withRuntime(same, undefined)).toBe(same);
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Observation } from '@/lib/observation/observation';
import { decodeRows, encodeRows, packRows, unpackRows } from '@/server/recorder/blocks/encoded-rows';
import { RowEncoder } from '@/server/recorder/blocks/row-encoder';
import { streamStory } from '@/tests/support/log-story';
import { runs } from '@/tests/support/runs';

/** Encodes, stores and decodes observations. */
function thereAndBack(observations: readonly Observation[]): string[] {
  const rows = observations.map((observation, index) => ({ ...observation, seq: 7 + 3 * index }));
  const read = [...decodeRows(unpackRows(packRows(encodeRows(rows))))];
  expect(read.map(({ seq }) => seq)).toEqual(rows.map(({ seq }) => seq));
  return read.map((row) => JSON.stringify({ ...row, seq: undefined }));
}

/** Observations may contain any JSON, as in the metadata of a node. */
function labEvent(at: number, subject: unknown): Observation {
  const base = { kind: 'lab-event', at, vantage: 'lab', sourceId: 'lab', what: 'w', text: '' } as const;
  return { ...base, subject: subject as string };
}

it('rows decode to the JSON of the encoded observations', () => {
  const story = streamStory(1_700_000_000_000, 'client', 'stream');
  expect(thereAndBack(story)).toEqual(story.map((observation) => JSON.stringify(observation)));
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', '\ud800', 'ü\u0000', ''));
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.double(),
      fc.integer(),
      fc.maxSafeInteger(),
      fc.integer({ min: 1_699_999_000_000, max: 1_700_001_000_000 }),
      fc.integer({ min: -99_999, max: 99_999 }).map((thousandths) => thousandths / 1000),
      fc.constantFrom(null, undefined, true, false, -0),
      fc.array(tie('any'), { maxLength: 5 }),
      fc.dictionary(text, tie('any'), { maxKeys: 5, noNullPrototype: false }),
    ),
  })).any;
  const at = fc.oneof(fc.integer({ min: -9, max: 2_000_000_000_000 }), fc.double({ min: 0, max: 2e12 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(at, value), { maxLength: 20 }), (given) => {
      const observations = given.map(([moment, subject]) => labEvent(moment, subject));
      expect(thereAndBack(observations)).toEqual(
        observations.map((observation) => JSON.stringify(observation)),
      );
    }),
    { numRuns: runs(300) },
  );
});

it('an observation that cannot be encoded adds nothing', () => {
  const encoder = new RowEncoder();
  encoder.add(labEvent(1, 'a'));
  const { length } = encoder;
  expect(() => encoder.add(labEvent(2, ['b', 1n]))).toThrow('bigint');
  expect(encoder.length).toBe(length);
});

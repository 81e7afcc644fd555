import { describe, expect, it } from 'vitest';
import { listBodyViews } from '@/lib/views/nacks/list-body-views';
import type { NackDetail } from '@/lib/views/nacks/schema';

const payload = {
  hash: 'bad',
  role: 'rejected',
  sentence: 'The rejected body.',
  isWarning: false,
  versionInfo: '2',
} as const;
const before = { hash: 'good', versionInfo: '1' };
const after = { hash: 'new', versionInfo: '3' };
type Bodies = Pick<NackDetail, 'payload' | 'before' | 'after'>;
const views = (bodies: Bodies) => listBodyViews(bodies).map(({ value }) => value);

describe('listBodyViews', () => {
  it('lists the three bodies, and the differences of each two of them', () => {
    expect(views({ payload, before, after })).toEqual([
      'rejected',
      'before',
      'after',
      'before-rejected',
      'rejected-after',
      'before-after',
    ]);
  });

  it('leaves out unknown bodies', () => {
    expect(views({ payload, before: undefined, after: undefined })).toEqual(['rejected']);
    expect(views({ payload: undefined, before, after })).toEqual(['before', 'after', 'before-after']);
    expect(views({ payload, before: { ...before, hash: null }, after })).toEqual([
      'rejected',
      'after',
      'rejected-after',
    ]);
  });

  it('contains the doubt about the rejected body in differences', () => {
    const doubtful = { ...payload, sentence: 'A body of another client.', isWarning: true };
    const found = listBodyViews({ payload: doubtful, before, after });
    for (const { value, sentence, isWarning } of found.filter(({ kind }) => kind === 'diff')) {
      expect(isWarning, value).toBe(value !== 'before-after');
      expect(sentence.includes(doubtful.sentence), value).toBe(value !== 'before-after');
    }
  });
});

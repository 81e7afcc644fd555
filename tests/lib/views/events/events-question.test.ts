import { describe, expect, it } from 'vitest';
import { processQuestions } from '@/lib/views/questions';

describe('the query of GET events', () => {
  it.each([
    [{}, 100],
    [{ limit: '7' }, 7],
    [{ limit: '501' }, 500],
    [{ limit: '-1' }, 1],
    [{ limit: '0' }, 100],
    [{ limit: 'all' }, 100],
  ])('%o is limited to %i', (query, limit) => {
    expect(processQuestions.events.query.parse(query).limit).toBe(limit);
  });
});

describe('the query of GET stream', () => {
  const parse = (topics?: string) => processQuestions.stream.query.safeParse({ topics });

  it.each([
    [undefined, ['fleet', 'sources']],
    ['nacks', ['nacks']],
    ['load,,client:0123456789abcdef', ['load', 'client:0123456789abcdef']],
  ])('%s: %j', (text, topics) => {
    expect(parse(text).data?.topics).toEqual(topics);
  });

  it.each([
    ['', 'got 0 topics'],
    ['fleet,nope', 'got "nope"'],
    ['client:x', 'got "client:x"'],
    [Array(65).fill('lab').join(','), 'got 65 topics'],
  ])('%s is not valid: %s', (text, got) => {
    expect(parse(text).error?.issues[0]?.message).toMatch(
      new RegExp(`^expected 1 to 64 of fleet, sources, .*, ${got}$`),
    );
  });
});

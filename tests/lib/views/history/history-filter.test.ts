import { describe, expect, it } from 'vitest';
import { formatFilterProblem, parseFilter } from '@/lib/filter/parse-filter';
import {
  compileHistoryFilter,
  formatHistoryFilter,
  historyGrammar,
} from '@/lib/views/history/history-filter';
import { historyKinds } from '@/lib/views/history/history-kinds';
import { resourceTypes } from '@/lib/xds/resource-type';

const anything = {
  ...{ type: null, kind: null, name: '', version: '', error: '', stream: '' },
  ...{ rejected: false, since: '' },
};
const otherTypes = resourceTypes.map(({ service }) => service).filter((service) => service !== 'CDS');
const otherKinds = historyKinds.filter((kind) => kind !== 'ack-sent');

describe('compileHistoryFilter', () => {
  it.each([
    ['', {}],
    ['type=cds status=NACKED since=10m', { type: ['CDS'], rejected: true, since: 'now-10m' }],
    ['type=type.googleapis.com/x.Y', { type: ['type.googleapis.com/x.Y'] }],
    ['type!=CDS', { type: otherTypes }],
    ['type=CDS type!=CDS', { type: [] }],
    ['status=acked', { kind: ['ack-sent'] }],
    ['kind=nack-sent', { kind: ['nack-sent'] }],
    ['kind!=ack-sent', { kind: otherKinds }],
    ['status=ACKED kind!=ack-sent', { kind: [] }],
    // The log compares names as they are written.
    ['name=Cart version="v 1"', { name: 'Cart', version: 'v 1' }],
    ['error~"No hosts" stream=s-1', { error: 'No hosts', stream: 's-1' }],
  ])('%s', (text, expected) => {
    expect(compileHistoryFilter(text)).toEqual({ ...anything, ...expected });
  });

  it.each([
    ['cart', 'cart at character 1: expected a field, as in name=cart or error~"no hosts"'],
    ['name~cart', 'name~cart at character 1: expected name=, got name~'],
    ['error=x', 'error=x at character 1: expected error~, got error='],
    ['type~C', 'type~C at character 1: expected type= or type!=, got type~'],
    ['name=a name=b', 'name=b at character 8: expected one name, got another'],
    ['status=FINE', 'status=FINE at character 1: expected NACKED or ACKED, got "FINE"'],
    ['since=soon', 'since=soon at character 1: expected an age, as in 10m, 2h or 1d, got "soon"'],
  ])('%s is a problem, and the rest filters', (part, problem) => {
    const { problems } = parseFilter(part, historyGrammar);
    expect(problems.map((each) => formatFilterProblem(part, each))).toEqual([problem]);
    expect(compileHistoryFilter(`${part} version=1`)).toMatchObject({
      version: '1',
      error: '',
      rejected: false,
    });
  });
});

it('formatHistoryFilter writes what compiles to the same', () => {
  const old = { name: 'a b', version: '1', error: 'SUM OF weights', stream: 's' };
  const text = formatHistoryFilter(old);
  expect(text).toBe('name="a b" version=1 error~"SUM OF weights" stream=s');
  expect(compileHistoryFilter(text)).toEqual({ ...anything, ...old });
});

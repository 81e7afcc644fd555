import { expect, it } from 'vitest';
import { completeFilter } from '@/lib/filter/complete-filter';
import type { FilterGrammar } from '@/lib/filter/parse-filter';

const grammar: FilterGrammar = {
  fields: {
    type: { meaning: 'the type', values: ['CDS', 'EDS'] },
    node: { meaning: 'the node id' },
    name: { meaning: 'the name' },
    since: { meaning: 'the age', isAge: true },
  },
  prefix: { text: 'meta.', meaning: 'metadata' },
};
const valuesOf = (field: string) => (field === 'node' ? ['shop 1', 'cart-1', 'a"b'] : []);

/** `|` is the caret. The result is each text with a completion. */
function complete(text: string): string[] {
  const caret = text.indexOf('|');
  const whole = text.replace('|', '');
  const { from, to, items } = completeFilter(whole, caret, grammar, { valuesOf, keys: ['app', 'two words'] });
  return items.map(({ insert }) => whole.slice(0, from) + insert + whole.slice(to));
}

it.each([
  ['|', ['type=', 'node', 'name', 'since=', 'meta.', 'meta.app', 'meta."two words"']],
  ['meta.a|', ['meta.app', 'meta.a=', 'meta.a!=', 'meta.a~']],
  ['meta.app|', ['meta.app=', 'meta.app!=', 'meta.app~']],
  ['n|', ['node', 'name']],
  ['cart n|', ['cart node', 'cart name']],
  ['name|', ['name=', 'name!=', 'name~']],
  ['type=|', ['type=CDS ', 'type=EDS ']],
  ['type=e| cart', ['type=EDS  cart']],
  ['type!=c|', ['type!=CDS ']],
  ['type=CDS|', []],
  ['node~|', ['node~"shop 1" ', 'node~cart-1 ']],
  ['since=|', ['since=5m ', 'since=10m ', 'since=1h ', 'since=24h ', 'since=7d ']],
  ['other=|', []],
  ['zzz|', []],
])('completes %s', (text, expected) => {
  expect(complete(text)).toEqual(expected);
});

import { describe, expect, it } from 'vitest';
import { buildClientItems } from '@/lib/views/search/build-client-items';
import { parseClientPhrase } from '@/lib/views/search/client-phrase';

const context = { now: Date.parse('2026-11-26T21:00:00Z'), timeZone: 'UTC' };
const client = (id: string, nodeId: string) => ({ id, nodeId, scope: '', worst: undefined, trouble: 0 });

function itemsOf(text: string): string[] {
  const phrase = parseClientPhrase(text, context);
  if (phrase === undefined) return [];
  const items = buildClientItems(phrase, [client('a1', 'shop-web')], [client('b2', 'shop-mobile')], context);
  return items.map(({ title, detail, target }) =>
    [title, detail, 'href' in target ? decodeURIComponent(target.href) : target.action]
      .filter(Boolean)
      .join(' | '),
  );
}

describe('a text that names a client and what to show of it', () => {
  it.each([
    ['shop-web failover', 'shop-web', ['Show Failover of shop-web | /clients/a1/failover']],
    ['shop-web eff', 'shop-web', ['Show Effective config of shop-web | /clients/a1/resolved']],
    ['shop web effective config', 'shop web', ['Show Effective config of shop-web | /clients/a1/resolved']],
    [
      'shop-web yesterday 03:04:05',
      'shop-web',
      ['Show shop-web | 2026-11-25 03:04:05.000 UTC | /clients/a1?at=2026-11-25T03:04:05.000Z'],
    ],
    [
      'shop-web resources 15m ago',
      'shop-web',
      [
        'Show Resources of shop-web | 2026-11-26 20:45:00.000 UTC | /clients/a1/resources?at=2026-11-26T20:45:00.000Z',
      ],
    ],
    [
      'compare shop-web with shop-mobile',
      'shop-web',
      ['Compare shop-web with shop-mobile | /compare?left=client/a1&right=client/b2'],
    ],
    [
      'compare shop-web 5m ago',
      'shop-web',
      [
        'Compare shop-web with an earlier time | 2026-11-26 20:55:00.000 UTC | /compare?left=client/a1@2026-11-26T20:55:00.000Z&right=client/a1',
      ],
    ],
    [
      'compare shop-web',
      'shop-web',
      [
        'Compare shop-web with an earlier time | 2026-11-26 20:50:00.000 UTC | /compare?left=client/a1@2026-11-26T20:50:00.000Z&right=client/a1',
        'Compare shop-web with an earlier time | 2026-11-26 20:00:00.000 UTC | /compare?left=client/a1@2026-11-26T20:00:00.000Z&right=client/a1',
      ],
    ],
  ])('%s', (text, words, items) => {
    expect(parseClientPhrase(text, context)?.client).toBe(words);
    expect(itemsOf(text)).toEqual(items);
  });

  it.each(['shop-web', 'failover', 'yesterday 03:04', 'shop-web lo', 'compare', 'shop-web 2027-01-01'])(
    '%s names no client with a view, a past time or a comparison',
    (text) => {
      expect(parseClientPhrase(text, context)).toBeUndefined();
    },
  );
});

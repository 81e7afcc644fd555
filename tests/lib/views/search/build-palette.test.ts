import { describe, expect, it } from 'vitest';
import { buildPalette, describeHolders, type PaletteInput } from '@/lib/views/search/build-palette';
import { parseClientPhrase } from '@/lib/views/search/client-phrase';
import type { PaletteItem } from '@/lib/views/search/palette-item';
import type { SearchAnswer } from '@/lib/views/search/schema';
import { CDS, EDS } from '@/lib/xds/resource-type';

const place = (title: string, href: string): PaletteItem => ({
  ...{ id: href, group: 'pages', title, label: '', detail: '', target: { href } },
});
const action = (title: string, label = ''): PaletteItem => ({
  ...{ id: title, group: 'actions', title, label, detail: '', target: { action: title } },
});
const recent: PaletteItem = { ...place('cart', '/search?resource=CDS%3Acart'), group: 'recent' };

const nothing: SearchAnswer = {
  resources: { items: [], total: 0, isComplete: true },
  clients: { items: [], total: 0 },
  nacks: { items: [], total: 0 },
  versions: { items: [], total: 0 },
  endpoints: [],
  domains: [],
  contents: [],
  problems: [],
  index: { clientsBehind: 0, rowsLeftOut: 0, payloadsWaiting: 0, payloadsLeftOut: 0 },
};
const found = (typeUrl: string, name: string) => ({
  ...{ typeUrl, service: typeUrl === CDS.typeUrl ? 'CDS' : 'EDS', name, clients: 3, holders: 2, probes: 0 },
  states: [{ state: 'NACKED', count: 1 } as const, { state: 'ACKED', count: 2 } as const],
});

function build(text: string, more: Partial<PaletteInput> = {}): string[] {
  const groups = buildPalette({
    ...{ text, path: '/', search: '', recent: [recent], answer: undefined },
    places: [place('Overview', '/'), place('Clients', '/clients'), place('Cohorts', '/clients/cohorts')],
    actions: [action('Switch to the dark theme', 'theme'), action('Compare with 10 minutes ago')],
    ...{ now: Date.parse('2026-11-26T21:00:00Z'), timeZone: 'UTC' },
    ...more,
  });
  return groups.flatMap(({ name, items }) =>
    items.map(({ title, label, detail, target }) => {
      const where = 'href' in target ? target.href : `do ${target.action}`;
      return [name, label, title, detail, where].filter(Boolean).join(' | ');
    }),
  );
}

describe('buildPalette', () => {
  it('lists recent choices, actions and pages without a text', () => {
    expect(build('')).toEqual([
      'recent | cart | /search?resource=CDS%3Acart',
      'actions | Switch to the dark theme | do Switch to the dark theme'.replace(
        'actions |',
        'actions | theme |',
      ),
      'actions | Compare with 10 minutes ago | do Compare with 10 minutes ago',
      'pages | Overview | /',
      'pages | Clients | /clients',
      'pages | Cohorts | /clients/cohorts',
    ]);
  });

  it.each([
    ['coh', ['pages | Cohorts | /clients/cohorts']],
    ['theme dark', ['actions | theme | Switch to the dark theme | do Switch to the dark theme']],
    ['ten minutes', []],
  ])('finds pages and actions by %s', (text, expected) => {
    expect(build(text)).toEqual(expected);
  });

  it('opens the page of a client at a typed time', () => {
    const path = '/clients/60c29d6079673f7d/graph';
    expect(build('yesterday 03:04', { path, search: 'find=cart&at=seq%3A7' })).toEqual([
      `times | Show this view at this time | 2026-11-25 03:04:00.000 UTC | ${path}?find=cart&at=2026-11-25T03%3A04%3A00.000Z`,
      'times | Show the history around this time | 2026-11-25 03:04:00.000 UTC | /history?from=2026-11-25T02%3A59%3A00.000Z&to=2026-11-25T03%3A09%3A00.000Z',
      'times | Show the pushes since this time | 2026-11-25 03:04:00.000 UTC | /pushes?from=2026-11-25T03%3A04%3A00.000Z&to=now',
    ]);
  });

  it.each(['now-15m', '20:54:25', '2026-11-22 20:54'])('opens the history around %s elsewhere', (text) => {
    expect(build(text)).toEqual([
      expect.stringMatching(/^times \| Show the history around this time/),
      expect.stringMatching(/^times \| Show the pushes since this time/),
    ]);
  });

  it('keeps a relative time relative in the range of the pushes', () => {
    expect(build('10m ago')[1]).toMatch(/\/pushes\?from=now-10m&to=now$/);
  });

  it.each(['now+15m', '2027-01-01'])('does not open the future: %s', (text) => {
    expect(build(text)).toEqual([]);
  });

  it('lists what was found, with its holders', () => {
    const answer: SearchAnswer = {
      ...nothing,
      resources: {
        items: [found(CDS.typeUrl, 'outbound|8080||pay.shop.svc.cluster.local')],
        total: 7,
        isComplete: false,
      },
      clients: {
        items: [{ id: 'a1', nodeId: 'pay-web', scope: 'xds:///pay', worst: undefined, trouble: 2 }],
        total: 1,
      },
      nacks: {
        items: [
          { id: 'n1', service: 'EDS', name: 'pay', text: 'no hosts', state: 'open', clients: 1, lastAt: 0 },
        ],
        total: 1,
      },
      versions: { items: [{ typeUrl: CDS.typeUrl, service: 'CDS', version: 'pay 7', clients: 2 }], total: 1 },
      endpoints: [{ text: '10.0.0.1:80', resources: [found(EDS.typeUrl, 'pay')] }],
      contents: [{ ...found(EDS.typeUrl, 'pay'), hash: 'abcdef'.repeat(10) }],
    };
    expect(build('pay', { answer })).toEqual([
      'resources | CDS | pay.shop :8080 | held by 2 of 3 clients, 1 NACKED | /search?resource=CDS%3Aoutbound%7C8080%7C%7Cpay.shop.svc.cluster.local',
      'resources | Show all results | 7 resources or more | /search?q=pay',
      'clients | xds:///pay | pay-web | 2 issues | /clients/a1',
      'nacks | EDS | no hosts | open, 1 client | /nacks/n1',
      'endpoints | EDS | 10.0.0.1:80 | pay, held by 2 of 3 clients, 1 NACKED | /search?resource=EDS%3Apay',
      'versions | CDS | pay 7 | in use by 2 clients | /clients?q=type%3DCDS+version%3D%22pay+7%22',
      'contents | EDS | pay | abcdefabcdef, held by 2 of 3 clients, 1 NACKED | /search?resource=EDS%3Apay',
    ]);
  });
});

it.each([
  [3, 3, 0, [], 'held by 3 clients'],
  [1, 1, 2, [], 'held by 1 client, 2 probes'],
  [0, 0, 1, [], 'held by no client, 1 probe'],
  [3, 1, 0, [{ state: 'DOES_NOT_EXIST', count: 2 }], 'held by 1 of 3 clients, 2 DOES_NOT_EXIST'],
  [1, 0, 0, [{ state: 'NACKED', count: 1 }], 'held by no client, 1 NACKED'],
] as const)(
  'describeHolders of %s clients, %s holders and %s probes',
  (clients, holders, probes, states, text) => {
    expect(describeHolders({ clients, holders, probes, states: [...states] })).toBe(text);
  },
);

describe('a request', () => {
  const clients = [{ id: '0c196370d57841ad', nodeId: 'shop-web', scope: '', isProbe: false, trouble: 0 }];
  const buildFor = (text: string, more: Partial<PaletteInput> = {}) => {
    const phrase = parseClientPhrase(text, { now: 0, timeZone: 'UTC' });
    return build(text, { ...(phrase && { ofClient: { phrase, clients, others: [] } }), ...more });
  };

  it('is explained at the client of the page, at its moment', () => {
    const [first] = buildFor('GET shop.example/cart', {
      ...{ path: '/clients/0c196370d57841ad/graph', search: 'at=seq%3A7&node=x' },
    });
    expect(first).toBe(
      'actions | this client | Explain GET shop.example/cart | /clients/0c196370d57841ad/explain?request=GET+shop.example%2Fcart&at=seq%3A7',
    );
  });

  it.each([
    ['curl -H "x-color: blue" https://shop.example/', 'curl'],
    ['grpcurl -plaintext a:1 shop.Cart/Add', 'grpcurl'],
    ['shop.v1.Cart/Add', 'shop.v1.Cart/Add'],
    ['shop-web GET shop.example/cart', 'GET shop.example/cart'],
  ])('is explained at a client that is offered: %s', (text, shown) => {
    const offered = `^actions \\| Explain ${shown}.* at shop-web \\| /clients/0c196370d57841ad/explain\\?request=`;
    expect(buildFor(text)).toContainEqual(expect.stringMatching(offered));
  });

  it('is explained at all clients, unless it names one', () => {
    const ofAll = 'actions | all clients | Explain shop.v1.Cart/Add | /explain?request=shop.v1.Cart%2FAdd';
    expect(buildFor('shop.v1.Cart/Add')[0]).toBe(ofAll);
    expect(buildFor('shop.v1.Cart/Add', { path: '/clients/0c196370d57841ad/graph' })[1]).toBe(ofAll);
    expect(buildFor('shop-web GET shop.example/cart').join()).not.toContain('all clients');
  });

  it.each(['shop.example/cart', 'cart', 'curl', 'GET'])('is not what is searched for: %s', (text) => {
    expect(parseClientPhrase(text, { now: 0, timeZone: 'UTC' })?.kind).not.toBe('explain');
  });
});

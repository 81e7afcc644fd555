import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  answerKey,
  clientDetailOptions,
  clientQuestionOptions,
  requestAnswer,
} from '@/app/_ask/client-question';
import { clientKey, prefetchMoment, subjectKey } from '@/app/_ask/client-subject';
import { simulationOptions } from '@/app/_ask/failover-simulation';
import { omitEmpty } from '@/app/_ask/query-text';
import { resourcePagesOptions } from '@/app/_ask/resource-pages';

/** The URLs that the browser requested. */
let requests: string[] = [];

beforeEach(() => {
  requests = [];
  vi.stubGlobal('fetch', async (url: string, { body }: RequestInit = {}) => {
    requests.push(body === undefined || body === null ? url : `${url} ${body}`);
    return Response.json({ items: [] });
  });
});
afterEach(() => vi.unstubAllGlobals());

const { signal } = new AbortController();
const at = '2026-11-22T09:00:00.000Z';

describe('requestAnswer', () => {
  it('derives the URL from subject, question and query', async () => {
    await requestAnswer({ clientId: 'a/b' }, 'links', { typeUrl: 't', name: '' }, signal);
    await requestAnswer({ clientId: 'a', at: 'seq:7' }, 'graph', { expand: ['x,y', 'z'], limit: 5 }, signal);
    await requestAnswer({ permalinkId: 'p' }, 'findings', { rule: 'C4' }, signal);
    expect(requests).toEqual([
      '/api/v1/clients/a%2Fb/links?typeUrl=t&name=',
      '/api/v1/clients/a/graph?expand=x%2Cy&expand=z&limit=5&at=seq%3A7',
      '/api/v1/permalinks/p/findings?rule=C4',
    ]);
  });

  it('sends no moment with a question about the whole log', async () => {
    await requestAnswer({ clientId: 'a', at }, 'failovers', {}, signal);
    expect(requests).toEqual(['/api/v1/clients/a/failovers?']);
  });
});

describe('clientQuestionOptions', () => {
  it('keeps the answers about a client now below the prefix that its changes invalidate', () => {
    expect(answerKey({ clientId: 'a' }, 'graph', {}).slice(0, 3)).toEqual(clientKey('a', 'graph'));
    expect(answerKey({ clientId: 'a', at: '' }, 'graph', {}).slice(0, 3)).toEqual(clientKey('a', 'graph'));
    expect(answerKey({ clientId: 'a' }, 'changes', { from: at }).slice(0, 3)).toEqual(
      clientKey('a', 'changes'),
    );
  });

  it('fetches immutable answers once: the past, a permalink, and the log up to a moment', () => {
    const past = { clientId: 'a', at };
    const fixed = [
      clientQuestionOptions(past, 'propagation', {}),
      clientQuestionOptions({ permalinkId: 'p' }, 'graph', {}),
      clientQuestionOptions({ clientId: 'a' }, 'changes', { from: 'seq:1', to: at }),
    ];
    for (const options of fixed) {
      expect(options).toMatchObject({ staleTime: Number.POSITIVE_INFINITY });
      expect(options.refetchInterval).toBeUndefined();
      expect(options.queryKey[0]).not.toBe('client');
    }
    const now = clientQuestionOptions({ clientId: 'a' }, 'propagation', {});
    // A page that opens again fetches what the stream does not carry, if it is older than the interval.
    expect([now.staleTime, now.refetchInterval]).toEqual([3_000, 3_000]);
    const streamed = clientQuestionOptions({ clientId: 'a' }, 'findings', {});
    expect([streamed.staleTime, streamed.refetchInterval]).toEqual([undefined, undefined]);
  });

  it('uses no answer about another moment or another resource as a placeholder', () => {
    const cache = new QueryClient();
    const shown = (
      options: ReturnType<typeof clientQuestionOptions<'references'>>,
      before: QueryObserver,
    ) => {
      before.setOptions(cache.defaultQueryOptions(options) as never);
      return before.getCurrentResult().data;
    };
    const list = (moment: string, offset: number) =>
      clientQuestionOptions({ clientId: 'a', at: moment }, 'references', { kind: 'orphan', offset });
    cache.setQueryData(list(at, 0).queryKey, { total: 1 });
    const observer = new QueryObserver(cache, cache.defaultQueryOptions(list(at, 0)) as never);
    observer.subscribe(() => undefined)();
    expect(shown(list(at, 0), observer)).toEqual({ total: 1 });
    expect(shown(list(at, 100), observer)).toEqual({ total: 1 });
    expect(shown(list('seq:9', 100), observer)).toBeUndefined();
    expect(
      clientQuestionOptions({ clientId: 'a' }, 'findings', { name: '' }).placeholderData,
    ).toBeUndefined();
  });
});

describe('prefetchMoment', () => {
  it('fetches all visible queries for the other moment: answers, pages, the client and a simulation', async () => {
    const cache = new QueryClient();
    const subject = { clientId: 'a' };
    const params = { cluster: 'cart', changes: [], seconds: 60, find: '' };
    const observe = (options: object) =>
      new QueryObserver(cache, { ...options, initialData: {}, staleTime: 1e9 } as never).subscribe(
        () => undefined,
      );
    const unsubscribe = [
      clientDetailOptions(subject),
      clientQuestionOptions(subject, 'graph', { expand: ['x'] }),
      clientQuestionOptions(subject, 'tears', {}),
      resourcePagesOptions(subject, { q: 'cart' }),
      simulationOptions(subject, params),
      clientQuestionOptions({ clientId: 'b' }, 'graph', {}),
    ].map(observe);

    await prefetchMoment(cache, 'a', '', 'seq:7');

    expect(requests.sort()).toEqual([
      '/api/v1/clients/a/graph?expand=x&at=seq%3A7',
      '/api/v1/clients/a/resources?q=cart&limit=200&at=seq%3A7',
      '/api/v1/clients/a?at=seq%3A7',
      '/api/v1/failover/simulate {"client":"a","at":"seq:7","cluster":"cart","changes":[],"seconds":60,"find":""}',
    ]);
    const there = cache.getQueryCache().findAll({ queryKey: subjectKey({ clientId: 'a', at: 'seq:7' }) });
    expect(there).toHaveLength(4);
    for (const each of unsubscribe) each();
    cache.clear();
  });
});

it('omitEmpty leaves out empty texts alone', () => {
  expect(omitEmpty({ q: '', find: 'x', offset: 0, on: false })).toEqual({ find: 'x', offset: 0, on: false });
});

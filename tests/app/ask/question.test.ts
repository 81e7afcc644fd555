import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fetchAnswer, questionKey, questionOptions, requestPath } from '@/app/_ask/question';

const now = Date.parse('2026-11-22T09:00:00.000Z');

beforeEach(() =>
  vi.useFakeTimers({ now, toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
);
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('requestPath', () => {
  it('fills in the parameters of the path, and lists the fields of the query', () => {
    expect(requestPath('health', {})).toBe('health');
    expect(requestPath('imports/{id}/problems', { id: 'a/b', offset: 0, limit: 5 })).toBe(
      'imports/a%2Fb/problems?offset=0&limit=5',
    );
    expect(requestPath('fleet', { q: '', group: 'zone', open: ['x,y', 'z'] })).toBe(
      'fleet?q=&group=zone&open=x%2Cy&open=z',
    );
  });

  it('resolves a time range at the time of the call', () => {
    const range = { from: 'now-15m', to: '' };
    expect(requestPath('nacks', { state: 'open', ...range })).toBe(
      `nacks?state=open&from=${Date.parse('2026-11-22T08:45:00.000Z')}`,
    );
    expect(requestPath('load/totals', { by: 'client', ...range })).toBe('load/totals?by=client&span=900s');
    expect(requestPath('nacks', { from: 'oldest', to: '' })).toBe('nacks');
  });
});

describe('questionKey', () => {
  it('begins with the words of the path, and has the range as it was asked for', () => {
    expect(questionKey('lab/resources', {})).toEqual(['lab', 'resources', {}]);
    expect(questionKey('nacks/{groupId}', { groupId: '7' })).toEqual(['nacks', '7', {}]);
    expect(questionKey('issues/strip', { from: 'now-1h', to: '' })).toEqual([
      'issues',
      'strip',
      { from: 'now-1h', to: '' },
    ]);
  });
});

describe('questionOptions', () => {
  it('asks again while the range of the question is live, and not if it ended', () => {
    const intervalOf = (to: string) => {
      const { refetchInterval } = questionOptions('convergence/recent', { from: 'now-15m', to });
      return (refetchInterval as () => number | false)();
    };
    expect(intervalOf('')).toBe(3_000);
    expect(intervalOf('now-5m')).toBe(false);
  });

  it('asks once for the load of a past range, even if it is invalidated', async () => {
    const cache = new QueryClient();
    let requests = 0;
    vi.stubGlobal('fetch', async () => {
      requests += 1;
      return Response.json({});
    });
    const options = questionOptions('load/totals', { by: 'client', from: 'now-2h', to: 'now-1h' });
    const stop = new QueryObserver(cache, options).subscribe(() => undefined);
    await vi.advanceTimersByTimeAsync(100);
    await cache.invalidateQueries({ queryKey: ['load'] });
    await vi.advanceTimersByTimeAsync(100);
    stop();
    expect(requests).toBe(1);
  });

  it('shows the previous answer of a list, and none of another item', () => {
    expect(questionOptions('fleet', {}).placeholderData).toBeDefined();
    expect(questionOptions('issues/{issueId}', { issueId: 'a' }).placeholderData).toBeUndefined();
  });
});

describe('fetchAnswer', () => {
  it('gives a comparison two minutes, and other answers twenty seconds', async () => {
    vi.stubGlobal('fetch', async () => Response.json({}));
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    await fetchAnswer('health', {});
    await fetchAnswer('diff', { left: 'a', right: 'b' });
    expect(timeout.mock.calls).toEqual([[20_000], [120_000]]);
  });
});

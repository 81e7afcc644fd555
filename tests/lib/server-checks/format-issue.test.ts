import { expect, it } from 'vitest';
import { describeMessage, formatIssue, formatMessage } from '@/lib/server-checks/format-issue';
import type { CheckMessage, CheckResult } from '@/lib/server-checks/server-check';

const request: CheckMessage = {
  ...{ isSent: true, stream: 1, afterMs: 0, typeUrl: 'type.googleapis.com/envoy.config.cluster.v3.Cluster' },
  ...{ version: '', nonce: '', names: ['*'], removed: [], error: '' },
};
const response: CheckMessage = {
  ...request,
  isSent: false,
  afterMs: 12.4,
  names: [],
  version: '3',
  nonce: '7',
};
const result: CheckResult = {
  ...{
    id: 'S10',
    title: 'The name * subscribes to all resources',
    level: 'must',
    verdict: 'fails',
    tookMs: 12,
  },
  expected: 'A request of CDS for * is answered with every cluster.',
  seen: 'CDS without resources (version 3)',
  source: { section: 'Wildcard', sentence: 'There is a wildcard.', url: 'https://example.com/#wildcard' },
  messages: [request, response],
};

it('states what was expected and seen, the sentence, the messages, and how to repeat it', () => {
  const text = formatIssue({ server: '10.0.0.7:15010', access: 'read-only' }, result);
  expect(text.split('\n')).toEqual([
    '# The name * subscribes to all resources: 10.0.0.7:15010',
    '',
    '**Expected** (must): A request of CDS for * is answered with every cluster.',
    '',
    '**Seen**: CDS without resources (version 3)',
    '',
    '> There is a wildcard.',
    '',
    '[Wildcard](https://example.com/#wildcard)',
    '',
    '**Messages**, with the time since the first one:',
    '',
    '```',
    '    0 ms  stream 1 -> Cluster *',
    '   12 ms  stream 1 <- Cluster version 3; nonce 7',
    '```',
    '',
    'To repeat it: `npm run interop -- --server 10.0.0.7:15010 --check S10` of xdscope.',
    '',
  ]);
  const rejecting = formatIssue({ server: 'a:1', access: 'read-only' }, { ...result, sendsNack: true });
  expect(rejecting).toContain('--check S10 --allow-nack`');
  const changed = { server: 'go-control-plane', version: '0.14.0', access: 'all' } as const;
  expect(formatIssue(changed, { ...result, moreMessages: 3 })).toMatch(
    /^# The name \* subscribes to all resources: go-control-plane 0\.14\.0(?:.|\n)*and 3 more messages(?:.|\n)*changes the config/,
  );
});

it('describes names, removals and a NACK', () => {
  const names = Array.from({ length: 22 }, (_, index) => `c${index}`);
  expect(describeMessage({ ...response, names, removed: ['d'], moreNames: 5 })).toMatch(
    /^c0, .*, c19 and 2 more; removes d; 5 more names; version 3; nonce 7$/,
  );
  expect(describeMessage({ ...request, names: [], removed: ['d'], error: 'no' })).toBe(
    'unsubscribes d; NACK: no',
  );
  expect(formatMessage({ ...request, typeUrl: '', names: [] })).toBe('    0 ms  stream 1 -> no type');
});

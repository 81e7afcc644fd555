import { expect, it } from 'vitest';
import { type FoundErrors, failureKeyOf } from '@/lib/views/issues/build-load-issue';

const none = { overflow: 0, noHost: 0, connectFailure: 0, timeout: 0, unanswered: 0 };
const errorsOf = (clusterName: string, causes?: Partial<typeof none>): FoundErrors => ({
  ...{ clusterName, from: 0, to: undefined, measured: { errors: 9, completed: 9, ofAll: 9 } },
  ...{ clients: ['a'], moreClients: 0 },
  ...(causes && { counted: { by: 'envoy-admin', causes: { ...none, ...causes } } }),
});

it('clusters that fail for one reason have one key, unless the reason is of a cluster alone', () => {
  const isOneReason = (...[a, b]: readonly [object | undefined, object | undefined]) =>
    failureKeyOf(errorsOf('a', a)) === failureKeyOf(errorsOf('b', b));
  expect(isOneReason(undefined, undefined)).toBe(true);
  expect(isOneReason({ timeout: 5 }, { timeout: 9, connectFailure: 1 })).toBe(true);
  expect(isOneReason({ timeout: 5 }, { connectFailure: 5 })).toBe(false);
  expect(isOneReason({}, {})).toBe(true);
  expect(isOneReason({ overflow: 5 }, { overflow: 5 })).toBe(false);
  expect(isOneReason({ noHost: 5 }, { noHost: 5 })).toBe(false);
  expect(isOneReason(undefined, { timeout: 5 })).toBe(false);
});

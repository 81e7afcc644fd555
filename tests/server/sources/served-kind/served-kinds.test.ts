import { expect, it } from 'vitest';
import type { RequestedKind } from '@/lib/observation/source-kinds';
import { systemClock } from '@/server/observe';
import { ServedKinds } from '@/server/sources/served-kind/served-kinds';

const failing: Parameters<ServedKinds['changed']>[0] = {
  ...{ id: 'csds:127.0.0.1:9901', kind: 'csds', target: '127.0.0.1:9901' },
  ...{ security: 'plain', origin: 'browser' },
};
const down = { state: 'down' } as const;

/** The tries, and what was found, after the statuses. */
async function afterChanges(changes: (kinds: ServedKinds) => void, served: RequestedKind | undefined) {
  const [tried, found]: [string[], string[]] = [[], []];
  const kinds = new ServedKinds({
    find: async ({ text, isNamed }) => {
      tried.push(`${text}${isNamed ? ' named' : ''}`);
      return served;
    },
    parts: { clock: systemClock, random: () => 0 },
    onFound: (id, kind) => found.push(`${id} is ${kind}`),
  });
  changes(kinds);
  await new Promise(setImmediate);
  return { tried, found };
}

it('tries the other kinds once when a new source fails', async () => {
  expect(
    await afterChanges((kinds) => {
      kinds.changed(failing, { state: 'connecting' });
      kinds.changed(failing, down);
      kinds.changed(failing, down);
    }, 'envoy-admin'),
  ).toEqual({ tried: ['127.0.0.1:9901'], found: ['csds:127.0.0.1:9901 is envoy-admin'] });
});

it.each([
  ['of a source that has answered before', failing, { ...down, lastSuccessAt: 1 }],
  ['over TLS, which needs certificates', { ...failing, security: 'tls' as const }, down],
  ['of a member of a list', { ...failing, listId: 'csds-list:a' }, down],
  ['of a tap', { ...failing, kind: 'tap' as const }, down],
])('tries nothing %s', async (_title, source, status) => {
  expect((await afterChanges((kinds) => kinds.changed(source, status), 'ads')).tried).toEqual([]);
});

it('offers nothing if the target has the kind of the source, or none', async () => {
  const change = (kinds: ServedKinds) => kinds.changed(failing, down);
  expect((await afterChanges(change, 'csds')).found).toEqual([]);
  expect((await afterChanges(change, undefined)).found).toEqual([]);
});

it('dials a target of a flag by the rules for flags, and tries it again after it was removed', async () => {
  const flagged = { ...failing, origin: 'flag' as const };
  const { tried } = await afterChanges((kinds) => {
    kinds.changed(flagged, down);
    kinds.removed(flagged.id);
    kinds.changed(flagged, down);
  }, undefined);
  expect(tried).toEqual(['127.0.0.1:9901 named', '127.0.0.1:9901 named']);
});

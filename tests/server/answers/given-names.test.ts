import { describe, expect, it } from 'vitest';
import { buildClientDetail } from '@/lib/views/client/build-client-summary';
import { PinsApi } from '@/server/answers/files/pins-api';
import { noSettings } from '@/server/answers/subjects/known-settings';
import { labelOf } from '@/server/files/import/import-names';
import { systemClock } from '@/server/observe';
import { describeSource } from '@/server/sources/describe-source';
import type { Pin } from '@/server/store/ranges';
import { clientStateOf } from '../../support/builders/recorder-emissions';
import { startPermalinks } from '../../support/permalink-story';

const secret = '0123456789abcdef0123456789abcdef01234567';

describe('what users name may hold a secret, which is masked', () => {
  it('in the label of a pin', async () => {
    const stored: Pin[] = [];
    const pins = new PinsApi({
      clock: systemClock,
      recorder: {
        pin: async (pin) => {
          stored.push({ id: 1, ...pin });
          return stored[0];
        },
        unpin: async () => true,
        pins: async () => stored,
      },
    });
    const range = { from: 0, to: 1 };
    const added = await pins.add({ ...range, label: `with token=${secret}, at last` });
    expect(added.label).toBe('with token=[redacted], at last');
    expect(JSON.stringify([stored, await pins.list()])).not.toContain(secret);
  });

  it('in the name of a file', () => {
    expect(labelOf(`https://app:${secret}@host/dump.json`, () => false)).toBe(
      'https:_[redacted]@host_dump.json',
    );
    expect(labelOf('dump.json', () => false)).toBe('dump.json');
  });

  it('in the label of a source', () => {
    const label = `mesh, password=${secret}`;
    const source = describeSource({ kind: 'lrs', target: 'x:1', label, origin: 'flag' }, null);
    expect(source.label).toBe('mesh, password=[redacted]');
  });

  it('in the query of the page that a permalink keeps', async () => {
    const client = buildClientDetail(clientStateOf('c', 1, []), () => ({
      freshness: 'live',
      reason: '',
      lastSeenAt: 1,
    }));
    const { api } = await startPermalinks({
      ...{ client, rows: [], reported: () => noSettings },
      failovers: {
        ...{ clientId: 'c', profile: 'core-1.85', from: 0, to: 0 },
        ...{ hasOlder: false, isCut: false, total: 0, items: [] },
      },
    });
    const query = { q: `api_key=${secret}`, token: secret, type: 'CDS', [`Bearer ${secret}`]: '1' };
    const { id } = await api.create({ clientId: 'c', view: { tab: 'resources', query } });
    const found = await api.find(id);
    expect(found?.view.query).toEqual({
      q: 'api_key=[redacted]',
      token: '[redacted]',
      type: 'CDS',
      'Bearer [redacted]': '1',
    });
  });
});

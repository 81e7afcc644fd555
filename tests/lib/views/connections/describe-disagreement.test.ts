import { describe, expect, it } from 'vitest';
import { describeDisagreement, shortError } from '@/lib/views/connections/describe-disagreement';
import type { ConnectionRow } from '@/lib/views/connections/schema';

const connection: ConnectionRow['connection'] & object = {
  ...{ state: 'TRANSIENT_FAILURE', since: Date.parse('2026-01-01T00:00:00.000Z'), isSinceFirstPoll: false },
  ...{ failingSince: Date.parse('2026-01-01T00:00:00.000Z'), figures: undefined },
  lastError:
    'connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:7311: connect: connection refused"',
};
const now = Date.parse('2026-01-01T00:03:00Z');

describe('the text of a disagreement', () => {
  it('has the health, the state, how long it lasts, and the cause', () => {
    const row = { health: 'HEALTHY', connection, disagreement: 'failing' } as const;
    expect(describeDisagreement(row, now)).toBe(
      'EDS HEALTHY, TRANSIENT_FAILURE for 3 min: connection refused',
    );
    const unknown = { ...row, health: 'UNKNOWN', connection: { ...connection, lastError: '' } };
    expect(describeDisagreement(unknown, now)).toBe(
      'EDS reports no health, TRANSIENT_FAILURE for 3 min: error not reported',
    );
  });

  it('has no cause if the endpoint is READY', () => {
    const ready = { ...connection, state: 'READY', failingSince: undefined } as const;
    expect(
      describeDisagreement({ health: 'UNHEALTHY', connection: ready, disagreement: 'unhealthy' }, now),
    ).toBe('EDS UNHEALTHY, READY for 3 min');
  });

  it('does not state how long a state lasts that only one report shows', () => {
    const first = { ...connection, state: 'EJECTED', isSinceFirstPoll: true, lastError: '' } as const;
    const row = { health: 'HEALTHY', connection: first, disagreement: 'failing' } as const;
    expect(describeDisagreement(row, first.since)).toBe('EDS HEALTHY, EJECTED');
  });

  it('is empty if nothing disagrees', () => {
    expect(describeDisagreement({ health: 'HEALTHY', connection, disagreement: undefined }, now)).toBe('');
  });

  it.each([
    ['UNKNOWN: ipv4:10.0.0.1:80: Failed to connect to remote host: No route to host', 'no route to host'],
    ['tls: failed to verify certificate: x509', 'certificate'],
    ['something else', 'something else'],
  ])('shortens "%s"', (text, short) => {
    expect(shortError(text)).toBe(short);
  });
});

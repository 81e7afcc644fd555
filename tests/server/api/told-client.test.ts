import { expect, test } from 'vitest';
import { nothingTold, toldOf } from '@/server/api/told-client';
import { insecure } from '@/server/grpc/credentials-config';
import { defaultProbeSettings } from '@/server/xds/probe-settings';

const target = { host: 'a', port: 1, text: 'a:1' };
const server = { target, credentials: insecure, callCredentials: [], features: new Set<never>() };
const settings = defaultProbeSettings(server);

test('toldOf: a probe that only observes says nothing of whose rules count', () => {
  expect(toldOf(undefined)).toEqual(nothingTold);
  expect(toldOf({ ...settings, profile: 'java' })).toEqual(nothingTold);
});

test('toldOf: a probe as a client says whose, and its bootstrap which providers there are', () => {
  const certificateProviders = new Set(['b', 'a']);
  const told = toldOf({ ...settings, manner: 'as-client', profile: 'java', certificateProviders });
  expect(told).toEqual({ ...nothingTold, asClient: 'java', certificateProviders: ['a', 'b'] });
});
